import type { Failure } from '../api/failure.ts'
import type { Change } from '../api/use-change.ts'
import type { Read } from '../api/use-read.ts'
import type { LineSeries, Series } from '../chart/series.ts'
import type { WaterfallStep } from '../chart/waterfall.tsx'
import type { SiteView } from '../state/site.tsx'

// What the recipes of /dev/kit show: always the same, so that two pictures of the page can be compared.

export const SITE: SiteView = {
  id: 'kit',
  domain: 'kit.example',
  timezone: 'UTC',
  currency: 'EUR',
  hasData: true,
  can: () => true,
  mayExport: true,
  mayChange: true,
  mayManage: true,
  hasProcessor: false,
  isMember: true,
  isEmbedded: false,
}

const again = () => {}
const AT = new Date('2026-03-18T12:00:00Z')

/** A read with its answer. */
export const answered = <Data>(data: Data): Read<Data> => ({
  ...{ data, failure: undefined, isOld: false, readAt: AT, again },
})

/** A read whose answer is still to come. */
export const waiting = <Data>(): Read<Data> => ({
  ...{ data: undefined, failure: undefined, isOld: false, readAt: undefined, again },
})

export const FAILURE: Failure = { kind: 'too_slow', message: 'The answer takes too long', fields: {} }

/** A read that has failed. */
export const failed = <Data>(): Read<Data> => ({ ...waiting<Data>(), failure: FAILURE })

/** A change that does nothing. */
export const changeOf = <Input>(more: Partial<Change<Input, true>> = {}): Change<Input, true> => ({
  send: async () => undefined,
  isSending: false,
  failure: undefined,
  forgetFailure() {},
  ...more,
})

export const WRONG_NAME: Failure = {
  kind: 'invalid',
  message: 'The request is not valid',
  fields: { name: ['name must have 1 to 100 characters'] },
}

/** As long as an address that came with a hit. */
const LONG = `/docs/${'a-very-long-name-of-a-page-'.repeat(6)}end`

export interface Row {
  id: string
  name: string
  visitors: number
  revenue: number
}

export const ROWS: Row[] = [
  { id: '1', name: '/', visitors: 12_480, revenue: 918_400 },
  { id: '2', name: LONG, visitors: 3_204, revenue: 120_000 },
  { id: '3', name: '/pricing', visitors: 815, revenue: 0 },
]

export const PAGE = { data: ROWS, meta: { current_page: 2, last_page: 9, total: 83 } }
export const NO_ROWS: Row[] = []

export const OPTIONS = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
]

export const WORDS = {
  title: 'A title',
  note: 'A note under a title says what a card is about.',
  text: 'A sentence of a page.',
  name: 'Name',
  hint: 'A hint says what a field is for.',
  wrong: 'Must have 1 to 100 characters',
  choose: 'Choose',
  open: 'Open',
  long: LONG,
  code: '<script defer src="https://analytics.example/js/script.js"\n        data-key="tk_kit"></script>',
  theme: { light: 'Light', dark: 'Dark' },
}

export const LABELS = Array.from({ length: 14 }, (_, day) =>
  new Date(Date.UTC(2026, 2, 1 + day)).toISOString().slice(0, 10),
)
const WAVE = LABELS.map((_, day) => Math.round(900 + 320 * Math.sin(day / 2) + 40 * day))

export const LINES: LineSeries[] = [
  { name: 'Visitors', values: WAVE, tone: 'traffic', format: String, drawn: 14, isOpen: true },
  {
    name: 'Before',
    values: WAVE.map(value => value - 210),
    tone: 'neutral',
    style: 'dashed',
    format: String,
  },
]
export const BARS: Series[] = [
  { name: 'Revenue', values: WAVE.map(value => value / 4), tone: 'money', format: String },
  { name: 'Lost', values: WAVE.map(value => -value / 9), tone: 'neutral', format: String },
]
export const MARKS = [{ index: 4, text: 'Release 2.0' }]
export const COURSE = WAVE

export const STEPS: WaterfallStep[] = [
  { name: 'Start', from: 0, to: 7_000, isTotal: true, note: '91 customers' },
  { name: 'New', from: 7_000, to: 7_620, note: '+8' },
  { name: 'Lost', from: 7_620, to: 7_310, note: '-4' },
  { name: 'End', from: 0, to: 7_310, isTotal: true, note: '95 customers' },
]
