import { serviceAddress } from '../../app/service-address.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './install.module.css'
import { snippetsOf, WAYS, type Way } from './snippets.ts'

/** The code for each kind of site, to copy. */
export function SnippetTabs({ trackingKey }: { trackingKey: string }) {
  const { install: text } = useText()
  const { domain } = useSite()
  const { params, change } = useAddress()
  const given = params.get('tab') as Way
  const way = WAYS.includes(given) ? given : 'html'
  const code = snippetsOf({ base: serviceAddress(), key: trackingKey, domain })[way]
  return (
    <div className={css.tabs}>
      <Tabs
        label={text.ways}
        tabs={WAYS.map(name => ({ name, label: text.wayNames[name] }))}
        value={way}
        onChange={next => change({ tab: next === 'html' ? null : next }, { replace: true })}
      >
        <p className={css.where}>{text.where[way]}</p>
        <CodeBlock code={code} label={text.wayNames[way]} />
      </Tabs>
    </div>
  )
}
