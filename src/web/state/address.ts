import { useCallback, useMemo } from 'react'
import { useLocation, useRouter } from 'wouter'

export interface Address {
  params: URLSearchParams
  /**
   * Changes parameters of the address; null removes one. Back returns to what was before, unless `replace`.
   */
  change(
    changes: Readonly<Record<string, string | readonly string[] | null>>,
    options?: { replace?: boolean },
  ): void
}

/** Parameters of the page's address: everything that matters for what the page shows stands there. */
export function useAddress(): Address {
  const search = useRawSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback<Address['change']>(
    (changes, options) => {
      const next = new URLSearchParams(search)
      for (const [name, value] of Object.entries(changes)) {
        next.delete(name)
        for (const each of value === null ? [] : [value].flat()) next.append(name, each as string)
      }
      navigate(withParams(path, next), options)
    },
    [search, path, navigate],
  )
  return { params, change }
}

/** Returns a path with parameters, in the form that the API documents: brackets and slashes as they are. */
export function withParams(path: string, params: URLSearchParams): string {
  const text = params.toString().replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2F', '/')
  return text === '' ? path : `${path}?${text}`
}

/** Returns the query of the address as it is: `useSearch` of wouter decodes it once, so that `%25` in a value would be lost. */
export function useRawSearch(): string {
  const router = useRouter()
  return router.searchHook(router).replace(/^\?/, '')
}
