import { type Api, startApi } from '../../support/api.ts'
import { ofFile } from '../../support/of-file.ts'

/**
 * The API for all tests of a file, from the first one to the last. Earlier hooks run before `options`.
 * @param isLimited keeps the limit of browsers, where `holdRequests` stops them
 */
export function useApi(
  options: () => Parameters<typeof startApi>[0] = () => ({}),
  { isLimited = false } = {},
): Api {
  return ofFile(async () => {
    const api = await startApi(options())
    if (!isLimited) api.services.config.limits.browser = 0
    return api
  })
}
