import { CodeBlock } from '../../parts/code-block.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { serviceAddress } from '../../state/places.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './install.module.css'

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

/** Ways to put the tracker into pages, in the order of the tabs. */
const WAYS = ['html', 'react', 'next', 'vue', 'wordpress', 'tagManager', 'server'] as const
type Way = (typeof WAYS)[number]

interface Service {
  /** Address of this service, without a slash at its end. */
  base: string
  /** Tracking key of the site. */
  key: string
  domain: string
}

/** The line for plain HTML. */
export const scriptTag = ({ base, key }: Pick<Service, 'base' | 'key'>, more = ''): string =>
  `<script defer src="${base}/js/script.js"\n        data-key="${key}"${more}></script>`

/** Returns the code of each way. */
function snippetsOf(service: Service): Record<Way, string> {
  const { base, key, domain } = service
  const tag = scriptTag(service)
  const html = `<head>
  …
  ${tag.replace('\n', '\n  ')}
</head>`
  return {
    html: tag,
    react: html,
    next: `import Script from 'next/script'

export default function RootLayout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script src="${base}/js/script.js"
                data-key="${key}" />
      </body>
    </html>
  )
}`,
    vue: html,
    wordpress: `add_action('wp_head', function () {
    echo '<script defer src="${base}/js/script.js" data-key="${key}"></script>' . "\\n";
});`,
    // The tag manager drops data attributes of a script tag.
    tagManager: `<script async src="${base}/js/script.js?key=${key}"></script>`,
    server: `curl ${base}/api/collect \\
  -A 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' \\
  -d '{"key": "${key}",
       "hostname": "${hostOf(domain)}", "url": {"path": "/", "title": "Home"}}'`,
  }
}

const hostOf = (domain: string) => domain.replace(/:\d+$/, '')
