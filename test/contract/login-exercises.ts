import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { createLink } from '../../src/access/accounts/links.ts'
import { newSecret } from '../../src/access/accounts/secrets.ts'
import { signIn } from '../support/browser-session.ts'
import { invitee, PASSWORD } from '../support/log-in.ts'
import { bodies, type Exercise, type World } from './exercise-steps.ts'

/** Another person than the world's, whose login the exercise changes or ends. */
const another = ({ api }: World) => signIn(api, { password: PASSWORD })

const totpSecret = new Secret({ size: 20 }).base32
const code = () => TOTP.generate({ secret: Secret.fromBase32(totpSecret) })
const factor = () => ({ secret: totpSecret, code: code(), password: PASSWORD })

/** A person with a second factor. */
async function withFactor(world: World) {
  const { headers } = await another(world)
  const added = await world.api.call('POST', '/api/account/totp', { headers, body: factor() })
  const cookie = added.headers.getSetCookie()[0]!.split(';')[0]!
  return { headers: { ...headers, Cookie: cookie } }
}

/** Exercises of signing in and of one's own login. */
export const loginExercises: Record<string, Exercise> = {
  'GET /api/auth/methods': ask => ask(),
  'POST /api/auth/login': async (ask, { person }) => {
    for (const password of [PASSWORD, 'another password'])
      await ask({ body: { email: person.email, password } })
  },
  'POST /api/auth/logout': ask => ask(),
  'POST /api/auth/link': async (ask, { api }) =>
    bodies({ secret: (await invitee(api)).secret }, { secret: newSecret() })(ask),
  'POST /api/auth/setup': async (ask, { api }) => {
    const { secret } = await invitee(api)
    await bodies(...Array(2).fill({ secret, password: PASSWORD }))(ask)
  },
  'POST /api/auth/reset-request': async (ask, { api: { services } }) => {
    services.config.mail = { url: 'smtp://127.0.0.1:1', from: 'a@example.com' }
    await ask({ body: { email: `${randomUUID()}@example.com` } })
    services.config.mail = undefined
  },
  'POST /api/auth/confirm-address': async (ask, world) => {
    const { loginId } = await another(world)
    const target = { email: null, loginId, newEmail: `${randomUUID()}@example.com` }
    const secret = await createLink(world.api.services.db, 'address', target, new Date())
    await bodies(...Array(2).fill({ secret }))(ask)
  },
  'POST /api/auth/reset': async (ask, world) => {
    const { loginId } = await another(world)
    const { db } = world.api.services
    const secret = await createLink(db, 'reset', { email: null, loginId }, new Date())
    await bodies(...Array(2).fill({ secret, password: PASSWORD }))(ask)
  },
  'GET /api/account': ask => ask(),
  'PATCH /api/account': async (ask, world) => {
    const { headers } = await another(world)
    await ask({ headers, body: { name: 'Ada', email: 'ada' } })
    await ask({ headers, body: { name: 'Ada', language: 'de' } })
  },
  'PUT /api/account/password': async (ask, world) => {
    const { headers } = await another(world)
    await ask({ headers, body: { password: 'short', current_password: PASSWORD } })
    await ask({ headers, body: { password: 'another password', current_password: PASSWORD } })
  },
  'POST /api/account/totp/secret': ask => ask(),
  'POST /api/account/totp': async (ask, world) => {
    const { headers } = await another(world)
    await ask({ headers, body: { ...factor(), code: '' } })
    await ask({ headers, body: factor() })
  },
  'DELETE /api/account/totp': async (ask, world) => {
    await ask({ body: { password: PASSWORD } })
    await ask({ ...(await withFactor(world)), body: { password: PASSWORD } })
  },
  'POST /api/account/recovery-codes': async (ask, world) => {
    await ask({ body: { password: PASSWORD } })
    await ask({ ...(await withFactor(world)), body: { password: PASSWORD } })
  },
  'GET /api/account/proof': ask => ask(),
  'POST /api/account/proof': async (ask, world) => {
    await bodies({ password: PASSWORD }, { password: 'another password' })(ask)
    await ask({ ...(await withFactor(world)), body: { password: PASSWORD } })
  },
  'POST /api/account/proof/options': ask => ask({ body: {} }),
  'GET /api/account/sessions': ask => ask(),
  'DELETE /api/account/sessions/{id}': async (ask, world) => {
    const { headers, sessionId: id } = await another(world)
    await ask({ path: { id: randomUUID() } })
    await ask({ headers, path: { id } })
  },
  'DELETE /api/account/sessions': async (ask, world) => {
    const { headers } = await another(world)
    await ask({ headers })
  },
}
