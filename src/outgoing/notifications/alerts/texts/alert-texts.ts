import type { Language } from '../../../../platform/mail/languages.ts'
import { type MailFormat, mailFormat } from '../../reports/mail/mail-format.ts'
import { textsOf } from '../../reports/mail/mail-texts.ts'
import type { Condition } from '../conditions.ts'
import type { Resolution } from '../incident-rows.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** What a sentence about an incident is made of. */
export interface Facts {
  condition: Condition
  /** The number that opened it. */
  value: number
  /** What it was compared with. */
  bound: number
  currency: string
  /** Name of the goal; null unless the condition is about one. */
  goalName: string | null
}

type Numbers = Pick<MailFormat, 'decimal' | 'money'>

/** Texts of alerts in one language. */
export interface AlertTexts {
  /** One for each kind of condition. */
  sentences: {
    [Kind in Condition['kind']]: (
      condition: Extract<Condition, { kind: Kind }>,
      facts: Facts,
      numbers: Numbers,
    ) => string
  }
  subjects: { opened: string; resolved: string; test: string }
  test: string
  opened(name: string, domain: string, sentence: string): string
  since(time: string): string
  over(name: string, domain: string): string
  /** Why it is over, where that is not that all is normal again. */
  reasons: Partial<Record<Resolution, string>>
  lasted(span: string, from: string, to: string): string
  began(sentence: string): string
  open: string
}

const TEXTS: Record<Language, AlertTexts> = { en, de }

export const alertTexts = (language: Language): AlertTexts => TEXTS[language]

/** Returns what an incident is about, in one sentence. */
export function sentenceOf(facts: Facts, language: Language): string {
  const { condition, currency } = facts
  const sentence = TEXTS[language].sentences[condition.kind] as (
    condition: Condition,
    facts: Facts,
    numbers: Numbers,
  ) => string
  return sentence(condition, facts, mailFormat(textsOf(language), currency))
}
