import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Section } from '../api/client.ts'
import { useAddress } from './address.ts'
import { type Filter, type FilterInput, filtersIn, inputOf, parameterOf } from './filters.ts'
import { compareInput, type Period, paramsOf, periodIn, rangeInput, rememberPeriod } from './period.ts'

/** What a page knows of its site, the same for all readers. */
export interface SiteView {
  id: string
  domain: string
  timezone: string
  currency: string
  hasData: boolean
  /** Whether the reader may see a section. Members of the team see all of them. */
  can(section: Section): boolean
  /** Whether the reader may take lists away as files. */
  mayExport: boolean
  /** Whether the reader may change goals, funnels, notes and settings. */
  mayChange: boolean
  /** Whether the reader may delete, share and connect a payment processor. */
  mayManage: boolean
  /** Whether a payment processor is connected; false for readers of shares and public sites. */
  hasProcessor: boolean
  /** Whether the reader is a member of the team; else it is a share or a public site. */
  isMember: boolean
  /** Whether the page stands in a frame of another site. */
  isEmbedded: boolean
  /** Name of the share. */
  shareName?: string
  /** What readers must know of all numbers; it stands above each page. */
  note?: ReactNode
}

const SiteContext = createContext<SiteView | undefined>(undefined)

export function SiteProvider({ site, children }: { site: SiteView; children: ReactNode }) {
  return <SiteContext value={site}>{children}</SiteContext>
}

/** Returns the site of the page. */
export function useSite(): SiteView {
  const site = useContext(SiteContext)
  if (!site) throw new Error('useSite() needs <SiteProvider>')
  return site
}

export interface Question {
  period: Period
  filters: Filter[]
  /** Site, range and filters, the input of most reads. */
  input: ReturnType<typeof rangeInput> & FilterInput & { siteKey: string }
  /** The comparison, for reads that know one. */
  compare: ReturnType<typeof compareInput>
  /** Asks reads that know them for imported totals, unless the address leaves them out. */
  totals: { imported?: true }
  setTotals(areUsed: boolean): void
  setPeriod(period: Period): void
  setFilters(filters: readonly Filter[]): void
  /** Adds a value to the filter of its dimension, or the filter. */
  addFilter(filter: Filter): void
}

/** Returns what the address asks about the site: a period and filters. */
export function useQuestion(): Question {
  const { id } = useSite()
  const { params, change } = useAddress()
  return useMemo(() => {
    const period = periodIn(params)
    const filters = filtersIn(params)
    const setFilters = (next: readonly Filter[]) => {
      const cleared = Object.fromEntries(filters.map(filter => [parameterOf(filter), null]))
      const added = Object.fromEntries(next.map(filter => [parameterOf(filter), filter.values]))
      change({ ...cleared, ...added, page: null })
    }
    return {
      period,
      filters,
      input: { siteKey: id, ...rangeInput(period), ...inputOf(filters) },
      compare: compareInput(period),
      totals: params.get('imported') === 'off' ? {} : { imported: true },
      setTotals: areUsed => change({ imported: areUsed ? null : 'off' }, { replace: true }),
      setPeriod(next) {
        rememberPeriod(next)
        change({ ...paramsOf(next), group: null, page: null })
      },
      setFilters,
      addFilter(filter) {
        const same = filters.find(each => parameterOf(each) === parameterOf(filter))
        const values = [...new Set([...(same?.values ?? []), ...filter.values])]
        setFilters([...filters.filter(each => each !== same), { ...filter, values }])
      },
    }
  }, [params, change, id])
}
