import type { Inputs } from '../../../api/types.ts'

type Added = Inputs['reports']['add']
export type Frequency = Added['frequencies'][number]
export type Language = NonNullable<Added['language']>
export type ReportSection = NonNullable<Added['sections']>[number]

/** Names of the API, in their order; TypeScript names what is missing. */
export const FREQUENCIES = namesOf<Frequency>({ daily: true, weekly: true, monthly: true })
export const LANGUAGES = namesOf<Language>({ en: true, de: true })
export const REPORT_SECTIONS = namesOf<ReportSection>({
  sources: true,
  pages: true,
  locations: true,
  goals: true,
  revenue: true,
})

function namesOf<Name extends string>(names: Record<Name, true>): readonly Name[] {
  return Object.keys(names) as Name[]
}
