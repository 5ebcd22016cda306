import type { Language } from '../../../../platform/mail/languages.ts'
import { plain } from '../../../../platform/mail/plain.ts'
import { dayOf, formatDay } from '../../../../platform/time/local-time.ts'
import type { Period } from '../periods.ts'
import type { ReportNumbers } from '../read-report.ts'
import { type Change, changeOf } from './change.ts'
import { type MailFormat, mailFormat } from './mail-format.ts'
import { type MailTexts, textsOf } from './mail-texts.ts'

export interface Figure {
  label: string
  value: string
  change: Change | undefined
  isMoney: boolean
}

export interface ListRow {
  name: string
  value: string
  /** Revenue, or the rate of a goal. */
  second: string | undefined
  /** Of the first row, 0 to 1. */
  share: number
}

export interface List {
  title: string
  value: string
  second: { label: string; isMoney: boolean } | undefined
  rows: ListRow[]
}

export interface SeriesView {
  cid: string
  label: string
  values: number[]
  previous: number[]
  highest: string
}

/** What a report says, in words and numbers of its language; text and HTML are made of it. */
export interface ReportContent {
  texts: MailTexts
  domain: string
  title: string
  days: string
  comparedWith: string
  timeZone: string
  figures: Figure[]
  visitors: SeriesView
  revenue: SeriesView | undefined
  /** Changes of recurring revenue. */
  recurring: { label: string; value: string }[]
  lists: List[]
}

interface Site {
  domain: string
  timezone: string
  currency: string
}

/** Returns what a report says. Values from hits are made plain here. */
export function contentOf(
  site: Site,
  { frequency, from, to }: Period,
  language: Language,
  numbers: ReportNumbers,
): ReportContent {
  const texts = textsOf(language)
  const format = mailFormat(texts, site.currency)
  const { overview, visitors, revenue } = numbers
  return {
    texts,
    domain: plain(site.domain),
    title: texts.title[frequency],
    days: format.days(from, to),
    comparedWith: texts.comparedWith(daysBefore(format, from, overview.days)),
    timeZone: texts.timeZone(site.timezone),
    figures: figuresOf(texts, format, numbers),
    visitors: {
      ...visitors,
      cid: 'visitors',
      label: texts.metrics.visitors,
      highest: format.count(Math.max(0, ...visitors.values)),
    },
    revenue: revenue && {
      ...revenue,
      cid: 'revenue',
      label: texts.metrics.revenue,
      highest: format.money(Math.max(0, ...revenue.values)),
    },
    recurring: recurringOf(texts, format, numbers),
    lists: listsOf(texts, format, numbers),
  }
}

/** As many days just before: what the overview compares with. */
const daysBefore = (format: MailFormat, from: string, days: number) =>
  format.days(formatDay(dayOf(from) - days), formatDay(dayOf(from) - 1))

function figuresOf(texts: MailTexts, format: MailFormat, { overview }: ReportNumbers): Figure[] {
  const { previous } = overview
  const figure = (
    name: keyof MailTexts['metrics'],
    write: (value: number) => string,
    options: { isInverse?: boolean; isMoney?: boolean } = {},
  ): Figure[] => {
    const value = overview[name]
    if (value === undefined) return []
    const change = changeOf(texts, value, previous[name] ?? 0, options.isInverse)
    return [{ label: texts.metrics[name], value: write(value), change, isMoney: options.isMoney ?? false }]
  }
  return [
    ...figure('visitors', format.count),
    ...figure('sessions', format.count),
    ...figure('pageviews', format.count),
    ...figure('views_per_visit', format.decimal),
    ...figure('bounce_rate', format.percent, { isInverse: true }),
    ...figure('avg_session_seconds', format.duration),
    ...figure('revenue', format.money, { isMoney: true }),
    ...figure('mrr', format.signedMoney, { isMoney: true }),
  ]
}

/** Kinds of changes; those that did not happen are left out. */
const CHANGES = ['new_mrr', 'expansion_mrr', 'reactivation_mrr', 'contraction_mrr', 'churned_mrr'] as const

function recurringOf(texts: MailTexts, format: MailFormat, { money }: ReportNumbers) {
  if (!money) return []
  return [
    ...CHANGES.filter(name => money[name] !== 0).map(name => ({
      label: texts.mrr[name],
      value: format.signedMoney(money[name]),
    })),
    { label: texts.mrr.net_new_mrr, value: format.signedMoney(money.net_new_mrr) },
    { label: texts.mrr.mrr, value: format.money(money.mrr) },
  ]
}

function listsOf(texts: MailTexts, format: MailFormat, numbers: ReportNumbers): List[] {
  const { pages, sources, countries, goals, overview } = numbers
  const hasRevenue = overview.revenue !== undefined
  type Rows = NonNullable<typeof pages>
  const ofValues = (title: string, rows: Rows | undefined, write: (value: string) => string): List[] => {
    if (!rows) return []
    const most = Math.max(1, ...rows.map(({ visitors }) => visitors))
    return [
      {
        title,
        value: texts.columns.visitors,
        second: hasRevenue ? { label: texts.columns.revenue, isMoney: true } : undefined,
        rows: rows.map(({ value, visitors, revenue }) => ({
          name: write(value),
          value: format.count(visitors),
          second: hasRevenue ? (revenue === null ? '–' : format.money(revenue)) : undefined,
          share: visitors / most,
        })),
      },
    ]
  }
  const named = (value: string) => (value === NONE ? texts.none : plain(value))
  return [
    ...ofValues(texts.lists.pages, pages, named),
    ...ofValues(texts.lists.sources, sources, named),
    ...ofValues(texts.lists.countries, countries, value =>
      value === NONE ? texts.unknown : plain(format.country(value)),
    ),
    ...(goals ? [goalList(texts, format, goals)] : []),
  ]
}

const NONE = '(none)'

function goalList(texts: MailTexts, format: MailFormat, goals: NonNullable<ReportNumbers['goals']>): List {
  const most = Math.max(1, ...goals.map(({ visitors }) => visitors))
  return {
    title: texts.lists.goals,
    value: texts.columns.visitors,
    second: { label: texts.columns.rate, isMoney: false },
    rows: goals.map(({ display_name: name, visitors, conversion_rate: rate }) => ({
      name: plain(name),
      value: format.count(visitors),
      second: format.percent(rate),
      share: visitors / most,
    })),
  }
}
