import { expect, test } from 'vitest'
import { refused } from '../read/source.ts'
import { readTables } from './read-tables.ts'

const read = (text: string) => readTables('ga4-totals', text)

test('totals of GA4: an answer of the Data API as CSV, by its names', async () => {
  const { tables } = await read(
    'date,sessionSource,sessionMedium,totalUsers,sessions,screenPageViews,bounceRate,averageSessionDuration\n' +
      '20240131,google,organic,10,12,30,0.25,61.5\n' +
      '20240131,(direct),(none),3,3,3,1,0\n' +
      '20240131,(not set),(not set),1,0,0,0,0\n' +
      '(other),x,y,1,1,1,1,1\n',
  )
  expect(tables[0]).toMatchObject({
    dimensions: ['source', 'channel', 'utm_medium'],
    numbers: ['visitors', 'sessions', 'pageviews', 'bounces', 'duration_seconds'],
    rows: [
      ['2024-01-31', 'Google', 'Organic Search', 'organic', 10, 12, 30, 3, 738],
      ['2024-01-31', 'Direct / None', 'Direct', '', 3, 3, 3, 3, 0],
      ['2024-01-31', 'Direct / None', 'Direct', '', 1, 0, 0, 0, 0],
    ],
    left: ['the row has no day'],
  })
})

test('totals of GA4: a report with comments, a grand total, and a table by the nth day', async () => {
  const { tables } = await read(
    '# ----------------------------------------\n# Tech details\n# Account: Example, "Ltd"\n# Start date: 20240226\n# End date: 20240302\n# ----------------------------------------\n\n' +
      'Browser,Date,Active users,Sessions,Views,Engaged sessions,User engagement\n' +
      ',,17,20,40,12,900\n' +
      '"Safari (in-app)\nline",20240226,7,8,20,5,300.4\n' +
      'Chrome,20240227,10,12,20,7,600\n\n' +
      '# ----------------------------------------\n# Users by day\n# ----------------------------------------\n' +
      'Nth day,Active users\n0000,5\n0003,6\n0004,x\n',
  )
  expect(tables.map(({ dimensions, numbers }) => [...dimensions, ...numbers].join(' '))).toEqual([
    'browser visitors sessions pageviews bounces duration_seconds',
    'visitors',
  ])
  expect(tables[0]).toMatchObject({
    rows: [
      ['2024-02-26', 'Safari (in-app)\nline', 7, 8, 20, 3, 300],
      ['2024-02-27', 'Chrome', 10, 12, 20, 5, 600],
    ],
    left: ['the row has no day'],
  })
  expect(tables[1]).toMatchObject({
    rows: [
      ['2024-02-26', 5],
      ['2024-02-29', 6],
    ],
    left: ['visitors is no number that can be'],
  })
})

test('totals of GA4: countries by name, pages without query, devices, events that are no automatic ones', async () => {
  const countries = { Türkiye: 'TR', 'United States': 'US', '(not set)': '', Germany: 'DE', Vietnam: 'VN' }
  const names = Object.entries({ ...countries, 'United Kingdom': 'GB' })
  const byCountry = names.map(([name], index) => `20240101,${name},${index}\n`).join('')
  const codes = names.map(([, code], index) => [code, index])
  const cases: [text: string, ...rows: (string | number)[][]][] = [
    [`Date,Country,Total users\n${byCountry}`, ...codes],
    [
      'Date,Landing page + query string,Sessions\n20240101,/a?x=1#y,1\n20240101,(not set),2\n',
      ['/a', 1],
      ['(not set)', 2],
    ],
    [
      'date,deviceCategory,totalUsers\n20240101,smart tv,1\n20240101,mobile,2\n',
      ['desktop', 1],
      ['mobile', 2],
    ],
    [
      'date,eventName,eventCount,totalUsers\n20240101,page_view,9,3\n20240101,purchase,2,1\n',
      ['purchase', 1, 2],
    ],
    ['date;Session source / medium;Sessions\n20240101;bing / cpc;4\n', ['Bing', 'Paid Search', 'cpc', 4]],
  ]
  for (const [text, ...rows] of cases)
    expect((await read(text)).tables[0]!.rows).toEqual(rows.map(row => ['2024-01-01', ...row]))
})

test('totals of GA4: a report without days is refused, with what to add', async () => {
  const channels = '# Start date: 20240101\nSession default channel group,Sessions\nDirect,5\n'
  for (const text of [channels, 'Nth day,Active users\n0000,5\n'])
    await expect(read(text)).rejects.toMatchObject(refused(/add the dimension Date/))
})

test('totals of GA4: a table that is split by a column that is not kept brings nothing, and says so', async () => {
  const custom = ['sessionDefaultChannelGroup', 'customEvent:plan']
  const unknown = ['Page title', 'Region', 'New / returning', ...custom]
  for (const column of unknown) {
    const { tables } = await read(`Date,${column},Total users,Sessions\n20240101,a,1,2\n20240101,b,3,4\n`)
    const reason = `the column “${column.toLowerCase()}” is not known: export the table without it`
    expect(tables, column).toMatchObject([{ rows: [], left: [reason, reason] }])
  }
  const { tables } = await read('Date,Browser,Hour,Sessions\n20240101,Chrome,3,2\n')
  expect(tables[0]).toMatchObject({ rows: [], left: [expect.stringMatching('“hour”')] })
})

test('totals of GA4: a second column of a dimension splits the first; the name and code of a country do not', async () => {
  const paths = await read('date,pagePath,pagePathPlusQueryString,sessions\n20240101,/a,/a?b=1,2\n')
  const left = [expect.stringMatching('“pagepathplusquerystring”')]
  expect(paths.tables[0]).toMatchObject({ rows: [], left })
  const countries = await read('date,country,countryId,sessions\n20240101,Germany,DE,2\n')
  expect(countries.tables[0]).toMatchObject({ left: [], rows: [['2024-01-01', 'DE', 2]] })
})

test('totals of GA4: other numbers, what follows from the day, and regions of a country split no table', async () => {
  const { tables } = await read(
    'Date,Day of week,Country,Region,Sessions,Event count,Key events,keyEvents:purchase,Views per active user,Average engagement time,New users,\n' +
      '20240101,1,Germany,Berlin,2,9,1,1,2.5,4,1,\n',
  )
  expect(tables[0]).toMatchObject({ dimensions: ['country'], rows: [['2024-01-01', 'DE', 2]] })
})

test('totals of GA4: without a column of the medium there is neither a medium nor a channel', async () => {
  const { tables } = await read('date,sessionSource,sessions\n20240101,google,2\n')
  expect(tables[0]).toMatchObject({ dimensions: ['source'], rows: [['2024-01-01', 'Google', 2]] })
  const mediums = await read('date,sessionMedium,sessions\n20240101,cpc,2\n20240101,(none),3\n')
  expect(mediums.tables[0]).toMatchObject({
    dimensions: ['utm_medium'],
    rows: [
      ['2024-01-01', 'cpc', 2],
      ['2024-01-01', '', 3],
    ],
  })
})
