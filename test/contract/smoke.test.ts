import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, sharedService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.close())

test('smoke: the first hit appears in the overview', async () => {
  const authorization = { Authorization: `Bearer ${service.token}` }
  const created = await fetch(`${service.url}/api/sites`, {
    method: 'POST',
    headers: authorization,
    body: JSON.stringify({ domain: 'example.com' }),
  })
  expect(created.status).toBe(201)
  const { tracking_key: key } = (await created.json()) as { tracking_key: string }
  const hit = await fetch(`${service.url}/api/collect`, {
    method: 'POST',
    body: JSON.stringify({ key, hostname: 'example.com', url: { path: '/' } }),
  })
  expect(hit.status).toBe(202)
  await eventually(async () => {
    const overview = await fetch(`${service.url}/api/sites/example.com/overview?range=last_7_days`, {
      headers: authorization,
    })
    return ((await overview.json()) as { pageviews: number }).pageviews === 1
  })
})
