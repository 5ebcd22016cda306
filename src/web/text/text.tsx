import languages from 'languages'
import { createContext, type ReactNode, useContext } from 'react'
import { remember, remembered } from '../state/storage.ts'
import { type Dictionary, dictionary as english } from './languages/en.ts'

interface Language {
  /** `en`, `de`. */
  code: string
  /** Locale for numbers and dates: the reader's own variant of the language, such as `en-GB`. */
  locale: string
  dictionary: Dictionary
}

const STORED = 'language'
/** Codes of the languages that the interface has. */
export const CODES: readonly string[] = ['en', ...Object.keys(languages)]

const LanguageContext = createContext<Language>({ code: 'en', locale: 'en', dictionary: english })

/** Returns the language that this browser chose, or else the first one of the browser that the interface has. */
export function chosenLanguage(): string {
  const wanted = [remembered(STORED), ...navigator.languages]
  const codes = wanted.map(each => each?.slice(0, 2).toLowerCase())
  return codes.find(code => code !== undefined && CODES.includes(code)) ?? 'en'
}

/** Loads the texts of a language. English is part of the first script. */
export async function loadLanguage(code: string): Promise<Language> {
  const locale = navigator.languages.find(each => each.toLowerCase().startsWith(code)) ?? code
  if (code === 'en') return { code, locale, dictionary: english }
  const { dictionary } = await languages[code]!()
  return { code, locale, dictionary }
}

/** Shows the interface in another language from now on. */
export function chooseLanguage(code: string): void {
  remember(STORED, code)
  location.reload()
}

export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>
}

/** Returns the texts of the interface. */
export const useText = (): Dictionary => useContext(LanguageContext).dictionary

export const useLanguage = (): Language => useContext(LanguageContext)
