import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { queries } from '../api/use-read.ts'
import { SiteProvider } from '../state/site.tsx'
import { Controls } from './controls.tsx'
import { Overlays, Settings } from './dialogs.tsx'
import css from './kit.module.css'
import { SITE, WORDS } from './kit-data.ts'
import { Charts, Lists } from './lists.tsx'

// The page /dev/kit of `npm run dev`: each recipe of the interface with fixed data, light and dark.

for (const name of ['timezones', 'currencies']) queries.setQueryData(['options', name], [])

createRoot(document.getElementById('app')!).render(
  <QueryClientProvider client={queries}>
    <SiteProvider site={SITE}>
      <main className={css.page}>
        <h1>{SITE.domain}</h1>
        <Overlays />
        <div className={css.themes}>
          {(['light', 'dark'] as const).map(theme => (
            <div key={theme} className={`${css.theme} ${css[theme]}`}>
              <h2>{WORDS.theme[theme]}</h2>
              <Controls />
              <Lists />
              <Charts />
              <Settings />
            </div>
          ))}
        </div>
      </main>
    </SiteProvider>
  </QueryClientProvider>,
)
