/** Ways to put the tracker into pages, in the order of the tabs. */
export const WAYS = ['html', 'react', 'next', 'vue', 'wordpress', 'tagManager', 'server'] as const
export type Way = (typeof WAYS)[number]

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
export function snippetsOf(service: Service): Record<Way, string> {
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
