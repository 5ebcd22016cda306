import { type ReactNode, useLayoutEffect, useMemo } from 'react'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { queries, type Read, useRead } from '../../api/use-read.ts'
import { SiteProvider, type SiteView, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Away, NotFound } from '../message-pages.tsx'
import { actIn, currentTeam, type Person, rememberedTeam, type Team, usePerson } from '../person/person.tsx'
import { takeEarly } from './early-site.ts'

interface Found {
  site: Outputs['sites']['get']
  team: Team
}

/** Key of the read of a site's settings, by id or domain. */
const siteRead = (siteKey: string) => ['site', siteKey] as const

/** Loads the site of the address for a member of its team, who may belong to several teams. */
export function MemberSite({ siteKey, children }: { siteKey: string; children: ReactNode }) {
  const person = usePerson()
  const { common } = useText()
  const found = useRead(siteRead(siteKey), () => findSite(person, siteKey), { keep: false })
  const view = useMemo(() => found.data && viewOf(found.data), [found.data])
  const team = found.data?.team.id
  // Back leads to sites of other teams, too. Before the pages below ask anything.
  useLayoutEffect(() => {
    if (team !== undefined && team !== rememberedTeam()) actIn(team)
  }, [team])
  if (view) return <SiteProvider site={view}>{children}</SiteProvider>
  if (!found.failure) return null
  if (found.failure.kind === 'missing') return <NotFound message={common.states.missingSite} />
  return <Away failure={found.failure} again={found.again} />
}

/** Asks the team of before first: a link may be to a site of another one. */
async function findSite(person: Person, siteKey: string): Promise<Found> {
  const first = currentTeam(person)
  const teams = [...person.teams].sort((a, b) => Number(b === first) - Number(a === first))
  let latest: unknown
  for (const team of teams) {
    actIn(team.id)
    try {
      const early = takeEarly(siteKey, team.id, team === person.teams[0])
      const site = early ?? api.sites.get.query({ siteKey }, { context: TOGETHER })
      return { site: await site, team }
    } catch (error) {
      if (failureOf(error).kind !== 'missing') throw error
      latest = error
    }
  }
  if (first) actIn(first.id)
  throw latest ?? new Error('The person belongs to no team')
}

/** Reads the settings of the site again, after a change. */
export const refreshSite = () => queries.invalidateQueries({ queryKey: ['site'] })

function viewOf({ site, team }: Found): SiteView {
  return {
    id: site.id,
    domain: site.domain,
    timezone: site.timezone,
    currency: site.currency,
    hasData: site.has_data,
    can: () => true,
    mayExport: true,
    mayChange: team.role !== 'viewer',
    mayManage: team.role === 'owner' || team.role === 'admin',
    hasProcessor: site.has_processor,
    isMember: true,
    isEmbedded: false,
  }
}

export type SiteSettings = Outputs['sites']['get']

/** Reads all settings of the site of the page. */
export function useSettings(): Read<SiteSettings> {
  const { id } = useSite()
  return useRead(['site', id, 'settings'], signal =>
    api.sites.get.query({ siteKey: id }, { signal, context: TOGETHER }),
  )
}
