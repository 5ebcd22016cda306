import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { after, bodies, type Exercise, one, page, type World } from './exercise-steps.ts'

const FILE = 'session_id,created_at,url_path\na,2025-01-01 10:00:00,/\n'
const NEW = { format: 'umami', file_name: 'website_event.csv', bytes: FILE.length }

const call = ({ api, owner, site }: World, method: string, path: string, body?: unknown) =>
  api.call(method, `/api/sites/${site.id}/imports${path}`, { token: owner.token, body })

/** An import whose file is there, unless `isSent` is false. */
async function newImport(world: World, isSent = true): Promise<string> {
  const { body } = await call(world, 'POST', '', NEW)
  if (isSent) expect((await call(world, 'PUT', `/${body.id}/parts/0`, FILE)).status).toBe(204)
  return body.id
}

/** How each operation on imports is brought to its answers. */
export const importExercises: Record<string, Exercise> = {
  'GET /api/sites/{siteKey}/import-formats': async ask => ask(),
  'GET /api/sites/{siteKey}/imports': after(newImport, page()),
  'POST /api/sites/{siteKey}/imports': bodies(
    NEW,
    { ...NEW, format: 'none' },
    { ...NEW, bytes: 2 ** 40 },
    { ...NEW, timezone: 'CET+1' },
  ),
  'GET /api/sites/{siteKey}/imports/{id}': one('id', newImport),
  'PUT /api/sites/{siteKey}/imports/{id}/parts/{number}': async (ask, world) => {
    const path = { id: await newImport(world, false), number: '0' }
    await ask({ path, body: FILE })
    await ask({ path: { ...path, number: '1' }, body: FILE })
    await ask({ path, body: 'short' })
    await ask({ path: { ...path, id: randomUUID() }, body: FILE })
  },
  'POST /api/sites/{siteKey}/imports/{id}/start': async (ask, world) => {
    const path = { id: await newImport(world) }
    await ask({ path: { id: await newImport(world, false) } })
    await ask({ path, body: { dry_run: 'yes' } })
    await ask({ path, body: { dry_run: true } })
    await ask({ path, body: { dry_run: true } })
    await ask({ path: { id: randomUUID() }, body: {} })
    await call(world, 'POST', `/${path.id}/cancel`)
  },
  'POST /api/sites/{siteKey}/imports/{id}/cancel': async (ask, world) => {
    const path = { id: await newImport(world) }
    await ask({ path })
    await ask({ path })
    await ask({ path: { id: randomUUID() } })
  },
  'POST /api/sites/{siteKey}/imports/{id}/undo': async (ask, world) => {
    const id = await newImport(world)
    await ask({ path: { id } })
    const { db } = world.api.services
    await db`update imports set state = 'done', has_written = true where id = ${id}`
    await ask({ path: { id } })
    await db`update imports set state = 'undone' where id = ${id}`
    await ask({ path: { id: randomUUID() } })
  },
}
