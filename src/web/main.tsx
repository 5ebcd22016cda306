import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { watchConnection } from './api/connection.ts'
import { queries } from './api/use-read.ts'
import { ConnectionBanner } from './app/connection-banner.tsx'
import { Crash } from './app/message-pages.tsx'
import { Routes } from './app/routes.tsx'
import { readEarly } from './app/site/early-site.ts'
import { chosenLanguage, LanguageProvider, loadLanguage } from './text/text.tsx'

const base = new URL(document.baseURI).pathname.replace(/\/$/, '')
watchConnection()
readEarly(location.pathname.slice(base.length))

/** No `await` at the top: the texts of a language import this script, and would wait for it. */
async function start() {
  const language = await loadLanguage(chosenLanguage())
  document.documentElement.lang = language.code
  createRoot(document.getElementById('app')!).render(
    <LanguageProvider language={language}>
      <QueryClientProvider client={queries}>
        <Crash>
          <Routes />
          <ConnectionBanner />
        </Crash>
      </QueryClientProvider>
    </LanguageProvider>,
  )
}

start()
