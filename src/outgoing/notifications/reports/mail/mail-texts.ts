import type { Language } from '../../../../platform/mail/languages.ts'
import type { Frequency } from '../periods.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** Texts of mails in one language. */
export interface MailTexts {
  locale: string
  title: Record<Frequency, string>
  /** Of the subject. */
  visitors(shown: string, count: number): string
  nothing: string
  test: string
  metrics: Record<
    | 'visitors'
    | 'sessions'
    | 'pageviews'
    | 'views_per_visit'
    | 'bounce_rate'
    | 'avg_session_seconds'
    | 'revenue'
    | 'mrr',
    string
  >
  /** Below the figures: what changes are compared with. */
  comparedWith(days: string): string
  fromNothing: string
  up(shown: string): string
  down(shown: string): string
  lists: Record<'pages' | 'sources' | 'countries' | 'goals', string>
  columns: Record<'visitors' | 'revenue' | 'rate', string>
  nothingListed: string
  unknown: string
  none: string
  money: string
  mrr: Record<
    | 'mrr'
    | 'new_mrr'
    | 'expansion_mrr'
    | 'contraction_mrr'
    | 'churned_mrr'
    | 'reactivation_mrr'
    | 'net_new_mrr',
    string
  >
  /** Describes the picture of a series. */
  seriesPicture(name: string, highest: string): string
  empty(domain: string, days: string): string
  emptyHint: string
  open: string
  why(address: string, domain: string): string
  unsubscribe: string
  timeZone(zone: string): string
  confirmation: {
    subject(domain: string): string
    text(by: string, domain: string, host: string): string
    button: string
    ignore: string
  }
}

const TEXTS: Record<Language, MailTexts> = { en, de }

export const textsOf = (language: Language): MailTexts => TEXTS[language]
