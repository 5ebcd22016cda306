import { api, TOGETHER } from '../api/client.ts'
import type { Outputs } from '../api/types.ts'
import { type Read, useRead } from '../api/use-read.ts'
import { useSite } from '../state/site.tsx'

export type SiteSettings = Outputs['sites']['get']

/** Reads all settings of the site of the page. */
export function useSettings(): Read<SiteSettings> {
  const { id } = useSite()
  return useRead(['site', id, 'settings'], signal =>
    api.sites.get.query({ siteKey: id }, { signal, context: TOGETHER }),
  )
}
