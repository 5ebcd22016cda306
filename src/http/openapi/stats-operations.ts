import type { ProcedureName } from '../routes.ts'
import type { Operation } from './operation.ts'

const NO_ERROR = 'No such site, or no such error of it'

type StatsProcedure = Extract<ProcedureName, `stats.${string}`>

/** Entries of `operations` for the procedures that read statistics. */
export const statsOperations: Record<StatsProcedure, Operation> = {
  'stats.overview': {
    summary: 'Read the overview',
    description: 'What the range counts, and the same metrics of as many days just before.',
    answer: 'The overview.',
  },
  'stats.timeseries': {
    summary: 'Read a metric over time',
    description: 'One metric of the overview in each bucket of the range.',
    answer: 'The series, and that of the period before by its own buckets.',
  },
  'stats.breakdown': {
    summary: 'Break traffic down by a dimension',
    description: 'The traffic of each value, most visitors first.',
    answer: 'A page of values.',
  },
  'stats.goals': {
    summary: 'Report goals',
    description: 'What each goal converted in the range, in the order of the list of goals.',
    answer: 'A bare array.',
  },
  'stats.events': {
    summary: 'Read the event log',
    description: 'Everything that happened in the range, the newest first. Engagement is never in it.',
    answer: 'A page of the log.',
  },
  'stats.eventsTimeseries': {
    summary: 'Count events over time',
    description: 'How many events of each type every bucket of the range has.',
    answer: 'A series for each type, aligned with the labels.',
  },
  'stats.propertyBreakdown': {
    summary: 'Break an event down by its properties',
    description: 'What the events of a name carried, by distinct visitors.',
    answer: 'At most 50 rows.',
  },
  'stats.pageTitles': {
    summary: 'Read page titles',
    description: 'Titles that were seen, most sessions first.',
    answer: 'A page of titles.',
  },
  'stats.pageTitlesTimeseries': {
    summary: 'Count the sessions of a page title over time',
    description: 'Each session counts once, in the bucket in which it started.',
    answer: 'The series.',
  },
  'stats.filterValues': {
    summary: 'Suggest values for a filter',
    description:
      "The values a dimension has, most frequent first. The dimension's own filter is not applied.",
    answer: 'The values.',
  },
  'stats.errors': {
    summary: 'Read error groups',
    description: 'Errors by their exact message, most occurrences first.',
    answer: 'A page of error groups.',
  },
  'stats.error': {
    summary: 'Read one error group',
    description: 'Also when it did not occur in the range: then its counts are 0.',
    answer: 'The error group.',
    refusals: { not_found: NO_ERROR },
  },
  'stats.errorTimeseries': {
    summary: 'Count an error over time',
    answer: 'The series, aligned with the labels.',
    refusals: { not_found: NO_ERROR },
  },
  'stats.errorEvents': {
    summary: 'Read the occurrences of an error',
    description: 'Each time it occurred, the newest first.',
    answer: 'A page of occurrences.',
    refusals: { not_found: NO_ERROR },
  },
}
