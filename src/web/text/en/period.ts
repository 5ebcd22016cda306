/** Periods and comparisons. */
export const period = {
  label: 'Period',
  presets: {
    today: 'Today',
    yesterday: 'Yesterday',
    last_24_hours: 'Last 24 hours',
    last_7_days: 'Last 7 days',
    last_30_days: 'Last 30 days',
    this_month: 'This month',
    last_month: 'Last month',
    year_to_date: 'Year to date',
    last_12_months: 'Last 12 months',
    all: 'All time',
  },
  custom: 'Choose days …',
  compare: 'Compare with',
  comparisons: {
    previous: 'Previous period',
    previous_year: 'A year before',
    custom: 'Choose days …',
    none: 'Nothing',
  },
  versus: {
    previous: 'vs. previous period',
    previous_year: 'vs. a year before',
    custom: (days: string) => `vs. ${days}`,
  },
  matchWeekday: 'Match weekdays',
  groups: { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' },
  group: 'Show as',
  earlier: 'Earlier',
  later: 'Later',
}
