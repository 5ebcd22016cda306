import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context } from 'esbuild'
import { webOptions } from './bundle.js'

// The page /dev/kit: each recipe of the web interface with fixed data. It belongs to `npm run dev` alone, and is in no build.

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'dist', 'dev', 'kit')
const page = join(folder, 'dev', 'kit')

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Kit</title>
<link rel="stylesheet" href="kit.css">
</head>
<body>
<div id="app"></div>
<script src="kit.js"></script>
</body>
</html>
`

/** Serves the page from the sources at a free port: each load has the newest ones. The web interface has to be built before. */
export async function serveKit() {
  const kit = await context({
    ...webOptions(root),
    // The style sheets in the order of the build, then the page.
    stdin: {
      contents: `import './dist/web-sources/styles.js'; import './src/web/dev/kit.tsx'`,
      resolveDir: root,
    },
    outfile: join(page, 'kit.js'),
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  mkdirSync(page, { recursive: true })
  writeFileSync(join(page, 'index.html'), HTML)
  const { port } = await kit.serve({ servedir: folder, host: '127.0.0.1', port: 0 })
  return { address: `http://127.0.0.1:${port}/dev/kit/`, stop: () => kit.dispose() }
}
