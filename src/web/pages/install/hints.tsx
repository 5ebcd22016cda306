import { serviceAddress } from '../../app/service-address.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { useText } from '../../text/text.tsx'
import { CheckPage } from './check-page.tsx'
import css from './install.module.css'
import { scriptTag } from './snippets.ts'

/** What to do when nothing comes. */
export function InstallHints({ trackingKey: key }: { trackingKey: string }) {
  const { install: text } = useText()
  const base = serviceAddress()
  return (
    <div className={css.hints}>
      <CheckPage />
      <details className={css.details}>
        <summary>{text.local}</summary>
        <p>{text.localHint}</p>
        <CodeBlock label={text.local} code={scriptTag({ base, key }, ' data-local')} />
      </details>
      <details className={css.details}>
        <summary>{text.blocked}</summary>
        <p>{text.blockedHint}</p>
        <CodeBlock
          label={text.blocked}
          code={`location /t/ {
  proxy_pass ${new URL(base).origin};
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
}`}
        />
        <CodeBlock
          label={text.addLine}
          code={`<script defer src="/t/script.js"\n        data-key="${key}"></script>`}
        />
        <p>{text.blockedProxy}</p>
      </details>
    </div>
  )
}
