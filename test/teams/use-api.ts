import { afterAll, beforeAll } from 'vitest'
import { type Api, startApi } from '../support/api.ts'

/**
 * The API for all tests of a file, from the first one to the last. Earlier hooks run before `options`.
 * @param isLimited keeps the limit of browsers, where `holdRequests` stops them
 */
export function useApi(
  options: () => Parameters<typeof startApi>[0] = () => ({}),
  { isLimited = false } = {},
): Api {
  const api = {} as Api
  beforeAll(async () => {
    Object.assign(api, await startApi(options()))
    if (!isLimited) api.services.config.limits.browser = 0
  })
  afterAll(() => api.close())
  return api
}
