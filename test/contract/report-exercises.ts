import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { linkTo } from '../../src/outgoing/notifications/recipients/links.ts'
import { startMailServer } from '../support/mail-server.ts'
import { after, bodies, type Exercise, patch, queries, twice, type World } from './exercise-steps.ts'

const bodyOf = (address: string) => ({ address, frequencies: ['weekly'], sections: ['pages', 'revenue'] })

/** While it runs, the service has a mail server. */
async function withMail<Result>({ api }: World, run: () => Promise<Result>): Promise<Result> {
  const server = await startMailServer()
  api.services.config.mail = server.mail
  try {
    return await run()
  } finally {
    api.services.config.mail = undefined
    await server.close()
  }
}

/** A recipient who has not agreed yet. @returns its id */
const newRecipient = (world: World) =>
  withMail(world, async () => {
    const { api, owner, site } = world
    const body = bodyOf(`${randomUUID()}@example.com`)
    const made = await api.call('POST', `/api/sites/${site.id}/reports`, { token: owner.token, body })
    expect(made.status).toBe(201)
    return made.body.id as string
  })

const tokenOf = async (world: World, purpose: 'confirm' | 'unsubscribe') =>
  linkTo(world.api.services.config, purpose, await newRecipient(world))
    .split('/')
    .at(-1)!

/** Reports by mail. */
export const reportExercises: Record<string, Exercise> = {
  'GET /api/sites/{siteKey}/reports': after(newRecipient, ask => ask()),
  'GET /api/sites/{siteKey}/reports/preview': queries('frequency=daily&sections=pages', 'frequency=hourly'),
  'POST /api/sites/{siteKey}/reports': (ask, world) =>
    withMail(world, async () => {
      await ask({ body: bodyOf('grace@example.com') })
      await ask({ body: bodyOf('grace') })
    }),
  'PATCH /api/sites/{siteKey}/reports/{id}': patch('id', newRecipient, { hour: 9 }, { hour: 24 }),
  'DELETE /api/sites/{siteKey}/reports/{id}': twice('id', newRecipient),
  'POST /api/sites/{siteKey}/reports/{id}/test': async (ask, world) => {
    const id = await newRecipient(world)
    await world.api.services.db`update mail_recipients set confirmed_at = now() where id = ${id}`
    await withMail(world, async () => {
      await ask({ path: { id }, body: {} })
      await ask({ path: { id }, body: { frequency: 'hourly' } })
      await ask({ path: { id: randomUUID() }, body: {} })
    })
  },
  'POST /api/reports/look-up': async (ask, world) => {
    const token = await tokenOf(world, 'confirm')
    for (const purpose of ['confirm', 'unsubscribe', 'read']) await ask({ body: { purpose, token } })
  },
  'POST /api/reports/confirm': async (ask, world) =>
    bodies({ token: await tokenOf(world, 'confirm') }, { token: 'made up' }, {})(ask),
  'POST /api/reports/unsubscribe': async (ask, world) =>
    bodies({ token: await tokenOf(world, 'unsubscribe') }, { token: 'made up' }, {})(ask),
}
