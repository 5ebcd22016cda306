import { Dialog } from '../../parts/overlay/dialog.tsx'
import { PRESET_NAMES, PRESETS } from '../../state/period.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './key-list.module.css'
import { SITE_PAGES } from './pages-of-site.ts'

/** Lists all keyboard shortcuts. */
export default function KeyList({ onClose }: { onClose(): void }) {
  const { common, period, keys } = useText()
  const site = useSite()
  const pages = SITE_PAGES.filter(({ needs }) => (needs === 'member' ? site.isMember : site.can(needs)))
  const groups: [string, [string, string][]][] = [
    [period.label, PRESET_NAMES.map(name => [PRESETS[name], period.presets[name]])],
    [keys.pages, pages.map(({ label, key }) => [`g ${key}`, common.nav[label]])],
    [
      keys.actions,
      [
        ['/', keys.search],
        ['c', keys.compare],
        ['x', keys.clear],
        ['←  →', common.chartHelp],
        ['?', common.nav.keys],
      ],
    ],
  ]
  return (
    <Dialog open title={common.nav.keys} onClose={onClose}>
      <div className={css.groups}>
        {groups.map(([title, entries]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className={css.list}>
              {entries.map(([key, action]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
