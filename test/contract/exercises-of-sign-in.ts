import { once } from 'node:events'
import { createAuthenticator } from '../access/accounts/authenticator.ts'
import { startScriptedProvider } from '../access/accounts/scripted-provider.ts'
import { type SignedIn, signIn } from '../support/browser-session.ts'
import { PASSWORD } from '../support/log-in.ts'
import { type Ask, type Asked, bodies, type Exercise, type World } from './exercise-steps.ts'

const ORIGIN = 'http://localhost:3000'

type PersonalExercise = (ask: Ask, world: World, person: SignedIn) => Promise<unknown>

/** Asks with a new person. */
const withPerson = (exercise: PersonalExercise) => async (ask: Ask, world: World) =>
  exercise(ask, world, await signIn(world.api))

/** Asks while single sign-on is set up. */
const withProvider = (exercise: PersonalExercise) => {
  return async (ask: Ask, world: World) => {
    const { config } = world.api.services
    const { issuer, close } = await startScriptedProvider('analytics')
    config.oidc = { issuer, clientId: 'analytics', clientSecret: undefined, name: 'x', autoJoin: undefined }
    try {
      await exercise(ask, world, await signIn(world.api))
    } finally {
      config.oidc = undefined
      await close()
    }
  }
}

/** Asks while Redis cannot be reached. */
async function withoutRedis({ api }: World, ask: () => Promise<unknown>) {
  const { redis } = api.services
  const ended = once(redis, 'end')
  redis.disconnect()
  await ended
  await ask()
  await redis.connect()
}

const FOREIGN = { 'Sec-Fetch-Site': 'cross-site' }

const as = ({ headers }: SignedIn, asked: Asked = {}): Asked => ({ token: undefined, headers, ...asked })

async function adding({ api }: World, { headers }: SignedIn) {
  const { body } = await api.call('POST', '/api/account/passkeys/options', { body: {}, headers })
  return body
}

const linkTo = ({ api }: World, { loginId }: SignedIn, subject: string) => api.services.db`
  insert into oidc_identities (issuer, subject, login_id) values ('https://login.example', ${subject}, ${loginId})`

/** Exercises of passkeys and single sign-on. */
export const SIGN_IN_EXERCISES: Record<string, Exercise> = {
  'POST /api/auth/passkey/options': withPerson(async (ask, world) => {
    await ask({ body: {} })
    await ask({ body: {}, headers: FOREIGN })
    await withoutRedis(world, () => ask({ body: {} }))
  }),
  'POST /api/auth/passkey': withPerson(async (ask, world, person) => {
    const authenticator = createAuthenticator(ORIGIN)
    const credential = authenticator.create(await adding(world, person))
    const { api } = world
    const { headers } = person
    await api.call('POST', '/api/account/passkeys', { body: { name: 'x', credential }, headers })
    const { body } = await api.call('POST', '/api/auth/passkey/options', { body: {} })
    const used = { credential: authenticator.get(body) }
    await bodies(used, used)(ask)
    await ask({ body: {}, headers: FOREIGN })
    await withoutRedis(world, () => ask({ body: used }))
  }),
  'GET /api/account/passkeys': async (ask, world) => {
    await ask(as(await signIn(world.api)))
    await ask()
  },
  'POST /api/account/passkeys/options': withPerson(async (ask, world, person) => {
    await ask(as(person, { body: {} }))
    await ask(as(await signIn(world.api, { password: PASSWORD }), { body: {} }))
    await ask(as(person, { body: { password: 1 } }))
  }),
  'POST /api/account/passkeys': withPerson(async (ask, world, person) => {
    const credential = createAuthenticator(ORIGIN).create(await adding(world, person))
    await ask(as(person, { body: { name: 'x' } }))
    await ask(as(person, { body: { name: 'x', credential } }))
    await ask({ body: {} })
  }),
  'DELETE /api/account/passkeys/{id}': async (ask, world) => {
    const body = { password: PASSWORD }
    const person = await signIn(world.api, body)
    const id = `passkey-of-${person.loginId}`
    await world.api.services.db`
      insert into passkeys (id, login_id, name, public_key) values (${id}, ${person.loginId}, 'x', '\\x00')`
    await ask(as(person))
    await ask(as(person, { body }))
    await ask(as(person, { body, path: { id } }))
  },
  'POST /api/auth/oidc/start': async (ask, world) => {
    await ask({ body: {} })
    await withProvider(async () => {
      await ask({ body: { return_to: '/sites' } })
      await ask({ body: { return_to: 'sites' } })
      await ask({ body: {}, headers: FOREIGN })
      await withoutRedis(world, () => ask({ body: {} }))
    })(ask, world)
  },
  'GET /api/auth/oidc/start': async (ask, world) => {
    await ask()
    await withProvider(async () => {
      await ask()
      await ask({ query: 'return_to=//evil.example' })
      await withoutRedis(world, ask)
    })(ask, world)
  },
  'GET /api/auth/oidc/callback': async (ask, world) => {
    await ask()
    await withProvider(async () => {
      await ask({ query: 'code=a&state=b' })
      await withoutRedis(world, ask)
    })(ask, world)
  },
  'POST /api/account/identities/start': async (ask, world) => {
    await ask(as(await signIn(world.api), { body: {} }))
    await withProvider(async (_, __, person) => {
      await ask(as(person, { body: {} }))
      await ask(as(person, { body: { return_to: 'sites' } }))
      await ask({ body: {} })
    })(ask, world)
  },
  'GET /api/account/identities': async (ask, world) => {
    const person = await signIn(world.api)
    await linkTo(world, person, 'one')
    await ask(as(person))
    await ask()
  },
  'DELETE /api/account/identities/{id}': async (ask, world) => {
    const body = { password: PASSWORD }
    const person = await signIn(world.api, body)
    await linkTo(world, person, 'two')
    const { headers } = person
    const listed = await world.api.call('GET', '/api/account/identities', { headers })
    await ask(as(person))
    await ask(as(person, { body }))
    await ask(as(person, { body, path: { id: listed.body[0].id } }))
  },
}
