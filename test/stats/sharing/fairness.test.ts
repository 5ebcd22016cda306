import { expect, test } from 'vitest'
import { useApi } from '../../access/teams/use-api.ts'
import { newPlace, share, token } from '../../contract/callers.ts'
import { inProcessPatterns } from '../../support/in-process-patterns.ts'
import { ofFile } from '../../support/of-file.ts'

const patterns = inProcessPatterns()

const api = useApi(() => ({ patterns }))
const place = ofFile(() => newPlace(api.services.db, { isPublic: true }))

test('shared readers: however many use patterns, a user of the team is answered at once', async () => {
  const { db } = api.services
  const path = `/api/sites/${place.siteId}/overview?path[matches_regex]=^/a`
  const readers = [{}, await share(db, place)]
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  // One reader holds the place of guests; all others wait behind it, or are refused.
  const holding = patterns.guests.enter(place.teamId, undefined, () => held)
  const waiting = Array.from({ length: 20 }, (_, index) =>
    api.call('GET', path, { headers: readers[index % 2]! }),
  )
  const refused = await Promise.race(waiting)
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  const own = await api.call('GET', path, { headers: await token(db, place, {}) })
  expect(own.status).toBe(200)
  release()
  await holding
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter(status => status === 503)).toHaveLength(5)
  expect(statuses.filter(status => status === 200)).toHaveLength(15)
})
