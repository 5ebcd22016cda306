import type { AUTOCAPTURE_TYPES } from '../../ingestion/hit.ts'
import { type BreakdownDimension, isChanging, isHitDimension } from '../../platform/dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../platform/dimensions/registry.ts'
import type { View } from '../../storage/columns/block.ts'
import type { ViewSpan } from '../../storage/columns/site-columns.ts'
import { countConverterParts, listConverters } from './converters.ts'
import { countTrafficParts, listCountedSessions } from './counted-sessions.ts'
import { countErrors } from './errors.ts'
import { listFirstPayers } from './first-payers.ts'
import { countProperties, countTitleSeries, countTypes } from './frequencies.ts'
import { countFunnel } from './funnel.ts'
import { countConverters, countConvertersByValue, countGoals, countMatched } from './goals.ts'
import { countClicks, countScroll } from './heat.ts'
import { countJourneys } from './journeys.ts'
import { countLive } from './live-counts.ts'
import { findLogHits } from './log-page.ts'
import { findMatching } from './matching.ts'
import { countMoney } from './money.ts'
import { countMoneyByValue } from './money-by-value.ts'
import { findMoney } from './money-page.ts'
import { countMrr, listMrrChanges } from './mrr.ts'
import { listChangesOfKinds, listSubscribed } from './mrr-pages.ts'
import { countVisits } from './people.ts'
import type { Question } from './question.ts'
import { countReturns } from './returns.ts'
import { findSessions } from './session-page.ts'
import { findTitlePlaces } from './title-places.ts'
import { countTraffic, countTrafficWithVisitors } from './traffic.ts'
import { findUsers } from './user-page.ts'
import { countGivenValues, findErrors, findFrequent, findTitles, findValues } from './value-pages.ts'
import { countValuesWithVisitors } from './values.ts'
import { findVisitors } from './visitor-page.ts'
import { countVitalCauses, countVitalSeries, countVitals, countVitalValues } from './vitals.ts'

type AutocaptureType = (typeof AUTOCAPTURE_TYPES)[number]

/** Counts of payments and MRR movements. */
const MONEY_COUNTS = {
  money: countMoney,
  moneyByValue: countMoneyByValue,
  mrr: countMrr,
  mrrChanges: listMrrChanges,
  firstPayers: listFirstPayers,
  moneyPage: findMoney,
  subscribed: listSubscribed,
  changesOfKinds: listChangesOfKinds,
}

/** Counts that name rows, which their caller reads by key. */
const ROW_COUNTS = {
  sessions: findSessions,
  matching: findMatching,
  log: findLogHits,
  titlePlaces: findTitlePlaces,
  visitors: findVisitors,
  users: findUsers,
  visits: countVisits,
  countedSessions: listCountedSessions,
  converterPage: listConverters,
}

/** All count functions: columns and a question in, numbers out. */
const COUNTS = {
  ...MONEY_COUNTS,
  ...ROW_COUNTS,
  traffic: countTraffic,
  trafficParts: countTrafficParts,
  trafficWithVisitors: countTrafficWithVisitors,
  valuesWithVisitors: countValuesWithVisitors,
  valuePage: findValues,
  titlePage: findTitles,
  errorPage: findErrors,
  frequent: findFrequent,
  givenValues: countGivenValues,
  types: countTypes,
  /** Of events of the service alone, without filters. */
  serviceTypes: countTypes,
  titleSeries: countTitleSeries,
  properties: countProperties,
  goals: countGoals,
  converters: countConverters,
  convertersByValue: countConvertersByValue,
  matched: countMatched,
  converterParts: countConverterParts,
  journeys: countJourneys,
  funnel: countFunnel,
  errors: countErrors,
  clicks: countClicks<AutocaptureType>,
  scroll: countScroll,
  returns: countReturns,
  live: countLive,
  vitals: countVitals,
  vitalSeries: countVitalSeries,
  vitalValues: countVitalValues,
  vitalCauses: countVitalCauses,
}
type Counts = typeof COUNTS
export type CountName = keyof Counts
export type Asked<Name extends CountName> = Parameters<Counts[Name]>[2]
export type Counted<Name extends CountName> = ReturnType<Counts[Name]>

/** Whether a count names rows or money. Columns are as new as the primary: a hot standby may lack what they name. */
export const namesRows = (name: string): boolean => name in ROW_COUNTS || name in MONEY_COUNTS

/** Returns what a count needs columns of. Money has copies of its sessions: only what hits have needs their columns. */
export function viewSpanOf(name: CountName, question: Question, asked: unknown): ViewSpan {
  const { start, end, sessions, filters, properties, goals } = question
  if (name === 'serviceTypes') return { start, end, only: 'service' }
  if (!(name in MONEY_COUNTS)) return { start, end, sessions }
  const { dimension } = (asked ?? {}) as { dimension?: BreakdownDimension }
  const dimensions = [...filters.map(filter => filter.dimension), ...(dimension ? [dimension] : [])]
  const needsChanging = dimensions.some(used => used !== HOUR_OF_WEEK && isChanging(used))
  const needsHits = properties.length + goals.length > 0 || dimensions.some(isHitDimension)
  return {
    start,
    end,
    sessions,
    money: needsChanging ? 'whole' : 'kept',
    only: needsHits ? undefined : 'money',
  }
}

/** Answers questions about a site. */
export interface Counter {
  /** @throws CountRefused */
  count<Name extends CountName>(
    name: Name,
    siteNo: number,
    question: Question,
    asked: Asked<Name>,
  ): Promise<Counted<Name>>
}

/** Runs a count function. */
export const runCount = <Name extends CountName>(
  name: Name,
  view: View,
  question: Question,
  asked: Asked<Name>,
): Counted<Name> =>
  (COUNTS[name] as (view: View, question: Question, asked: Asked<Name>) => Counted<Name>)(
    view,
    question,
    asked,
  )
