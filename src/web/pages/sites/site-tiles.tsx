import { api, TOGETHER } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import type { ListPeriod } from './list-view.ts'
import { SiteTile } from './site-tile.tsx'
import css from './sites.module.css'

export type ListedSite = Outputs['sites']['list'][number]

/** So many sites also say how many visitors they have now: each is a read of its own. */
const MOST_LIVE = 12
const LIVE_EVERY_MS = 30_000

interface Props {
  sites: readonly ListedSite[]
  period: ListPeriod
  isOld: boolean
  mayPin: boolean
}

export function SiteTiles({ sites, period, isOld, mayPin }: Props) {
  const live = useLive(sites)
  const pin = useChange((siteKey: string) => api.sites.togglePin.mutate({ siteKey }), [['sites']])
  return (
    <ul className={isOld ? `${css.tiles} ${css.old}` : css.tiles} aria-busy={isOld || undefined}>
      {sites.map(site => (
        <SiteTile
          key={site.id}
          site={site}
          period={period}
          now={live.get(site.id)}
          {...(mayPin && { onPin: () => pin.send(site.id) })}
        />
      ))}
    </ul>
  )
}

/** Visitors of now by site, of the first sites that have visitors; one request for all of them. */
function useLive(sites: readonly ListedSite[]): ReadonlyMap<string, number> {
  const ids = sites
    .filter(({ visitors }) => visitors > 0)
    .slice(0, MOST_LIVE)
    .map(({ id }) => id)
  const read = useRead(
    ['sites-live', ...ids],
    signal =>
      Promise.all(
        ids.map(async siteKey => {
          const { visitors } = await api.stats.live.query({ siteKey }, { signal, context: TOGETHER })
          return [siteKey, visitors] as const
        }),
      ),
    { enabled: ids.length > 0, every: LIVE_EVERY_MS },
  )
  return new Map(read.data)
}
