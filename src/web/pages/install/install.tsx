import { Link } from 'wouter'
import { useSettings } from '../../app/site/site-frame.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Answer } from '../../parts/states.tsx'
import { Step, Steps } from '../../parts/steps.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { FirstHit } from './first-hit.tsx'
import { InstallHints } from './hints.tsx'
import css from './install.module.css'
import { SnippetTabs } from './snippets.tsx'

/** The way from a new site to its first visit. */
export default function Install() {
  const { install: text } = useText()
  const { domain, timezone, currency, hasData, mayManage } = useSite()
  const settings = useSettings()
  return (
    <div className={css.narrow}>
      <h1>{text.title(domain)}</h1>
      <p className={css.lead}>{text.lead}</p>
      <Answer read={settings}>
        {({ tracking_key: key }) => (
          <Steps>
            <Step number={1} state="done" title={text.created}>
              <p>{[domain, timezone, currency].join(' · ')}</p>
            </Step>
            <Step number={2} state={hasData ? 'done' : 'now'} title={text.addLine}>
              <p>{text.addLineHint}</p>
              <SnippetTabs trackingKey={key} />
              <FirstHit />
              <InstallHints trackingKey={key} />
            </Step>
            <Step number={3} title={text.history}>
              <p>{text.historyHint}</p>
              <details className={css.details}>
                <summary>{text.historyHow}</summary>
                <p>{text.historyFile}</p>
                <CodeBlock
                  label={text.history}
                  code={`npm run -s admin -- hits:import --site ${domain} --file hits.jsonl`}
                />
              </details>
            </Step>
            <Step number={4} title={text.stripe}>
              <p>
                {text.stripeHint} {mayManage && <Link href="/connect-stripe">{text.connect}</Link>}
              </p>
            </Step>
          </Steps>
        )}
      </Answer>
    </div>
  )
}
