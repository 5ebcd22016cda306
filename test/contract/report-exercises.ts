import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { linkTo } from '../../src/notifications/recipients/links.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { Ask, World } from './exercise-steps.ts'

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

const tokenOf = ({ api }: World, purpose: 'confirm' | 'unsubscribe', id: string) =>
  linkTo(api.services.config, purpose, id).split('/').at(-1)!

/** Reports by mail. */
export const reportExercises: Record<string, (ask: Ask, world: World) => Promise<unknown>> = {
  'GET /api/sites/{siteKey}/reports': async (ask, world) => {
    await newRecipient(world)
    await ask()
  },
  'GET /api/sites/{siteKey}/reports/preview': async ask => {
    await ask({ query: 'frequency=daily&sections=pages' })
    await ask({ query: 'frequency=hourly' })
  },
  'POST /api/sites/{siteKey}/reports': (ask, world) =>
    withMail(world, async () => {
      await ask({ body: bodyOf('grace@example.com') })
      await ask({ body: bodyOf('grace') })
    }),
  'PATCH /api/sites/{siteKey}/reports/{id}': async (ask, world) => {
    const id = await newRecipient(world)
    await ask({ path: { id }, body: { hour: 9 } })
    await ask({ path: { id }, body: { hour: 24 } })
    await ask({ path: { id: randomUUID() }, body: {} })
  },
  'DELETE /api/sites/{siteKey}/reports/{id}': async (ask, world) => {
    const id = await newRecipient(world)
    await ask({ path: { id } })
    await ask({ path: { id } })
  },
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
    const token = tokenOf(world, 'confirm', await newRecipient(world))
    await ask({ body: { purpose: 'confirm', token } })
    await ask({ body: { purpose: 'unsubscribe', token } })
    await ask({ body: { purpose: 'read', token } })
  },
  'POST /api/reports/confirm': async (ask, world) => {
    await ask({ body: { token: tokenOf(world, 'confirm', await newRecipient(world)) } })
    await ask({ body: { token: 'made up' } })
    await ask({ body: {} })
  },
  'POST /api/reports/unsubscribe': async (ask, world) => {
    await ask({ body: { token: tokenOf(world, 'unsubscribe', await newRecipient(world)) } })
    await ask({ body: { token: 'made up' } })
    await ask({ body: {} })
  },
}
