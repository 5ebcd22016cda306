import { api, type Outputs, sendAs, TOGETHER } from '../../api/client.ts'
import { queries } from '../../api/use-read.ts'
import { readPart } from '../../state/places.ts'
import { PERSON, readPerson, rememberedTeam } from '../person/person.tsx'

interface EarlySite {
  siteKey: string
  /** Team that was asked; undefined for the person's first one. */
  team: string | undefined
  site: Promise<Outputs['sites']['get']>
}

let early: EarlySite | undefined

/**
 * Asks for the person and for the site of the address in one request, before anything is drawn: one round trip less until the numbers
 * are there.
 * @param path of the page, below the base address
 */
export function readEarly(path: string): void {
  const [, siteKey] = /^\/sites\/([^/]+)/.exec(path) ?? []
  if (siteKey === undefined) return
  const team = rememberedTeam()
  if (team !== undefined) sendAs({ team })
  const key = readPart(siteKey)
  early = { siteKey: key, team, site: api.sites.get.query({ siteKey: key }, { context: TOGETHER }) }
  // The page that takes the answer shows why it failed.
  early.site.catch(() => undefined)
  void queries.prefetchQuery({ queryKey: PERSON, queryFn: ({ signal }) => readPerson(signal) })
}

/** Returns the early answer for a site, once, if it was asked in the right team. */
export function takeEarly(
  siteKey: string,
  team: string,
  isFirstTeam: boolean,
): EarlySite['site'] | undefined {
  if (early?.siteKey !== siteKey || (early.team ?? (isFirstTeam ? team : undefined)) !== team)
    return undefined
  const { site } = early
  early = undefined
  return site
}
