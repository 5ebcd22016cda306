import { expect, test } from 'vitest'
import { refused } from '../read/source.ts'
import { zipOf } from '../read/zip-file.ts'
import { readTables } from './read-tables.ts'

test('totals of Fathom: hours are put into the days of the site, also over a change of clocks', async () => {
  const text =
    'Pageviews,Visits,Avg Duration,Bounce Rate,Timestamp\n' +
    '10,4,12.5,0.5,2024-03-30 23:00:00\n' +
    '3,2,0,1,2024-03-31 21:59:00\n' +
    '5,3,10,0.3333,2024-03-31 22:00:00\n' +
    '0,0,,,2024-03-31 23:00:00\n'
  const read = (timezone: string, fileTimezone = 'UTC') =>
    readTables('fathom', text, { name: 'Site.csv', timezone, fileTimezone })
  const { tables } = await read('Europe/Berlin')
  expect(tables[0]!.numbers).toEqual(['pageviews', 'visitors', 'sessions', 'bounces', 'duration_seconds'])
  expect(tables[0]!.rows).toEqual([
    // The day of the change has 23 hours in Berlin: midnight is 23:00 UTC before it, and 22:00 UTC after it.
    ['2024-03-31', 10, 4, 4, 2, 50],
    ['2024-03-31', 3, 2, 2, 2, 0],
    ['2024-04-01', 5, 3, 3, 1, 30],
    ['2024-04-01', 0, 0, 0, 0, 0],
  ])
  const days = async (timezone: string, fileTimezone?: string) =>
    (await read(timezone, fileTimezone)).tables[0]!.rows.map(([day]) => day)
  expect(await days('America/New_York')).toEqual(['2024-03-30', '2024-03-31', '2024-03-31', '2024-03-31'])
  const april = '2024-04-01'
  expect(await days('Asia/Kathmandu', 'America/New_York')).toEqual(['2024-03-31', april, april, april])
})

test('totals of Fathom: a file whose times are all midnight has days, which stay as they are', async () => {
  const text = 'date,visits,pageviews\n2024-01-01 00:00:00,4,9\n2024-01-02,5,6\n2024-01,1,1\n'
  const { tables } = await readTables('fathom', text, { timezone: 'America/New_York' })
  expect(tables[0]).toMatchObject({
    numbers: ['pageviews', 'visitors', 'sessions'],
    rows: [
      ['2024-01-01', 9, 4, 4],
      ['2024-01-02', 6, 5, 5],
    ],
    left: ['the row has no day'],
  })
})

test('totals of Fathom: files by page, browser, country, device, referrer and event', async () => {
  const bytes = zipOf([
    { name: 'example.com/Pages.csv', bytes: 'Hostname,Pathname,Views,Uniques,Timestamp\nhttps://example.com,/a,9,7,2024-01-01\n' },
    { name: 'pageviews-browser-2024.csv', bytes: 'browser,visits,pageviews,avg_duration,bounce_rate,date\nChrome,4,9,10,50%,2024-01-01\n' },
    { name: 'pageviews-country-2024.csv', bytes: 'country_code,visits,date\nDE,4,2024-01-01\nAustria,2,2024-01-01\nNowhere,1,2024-01-01\n' },
    { name: 'DeviceTypes.csv', bytes: 'Device Type,Pageviews,Timestamp\nPhone,9,2024-01-01\n' },
    { name: 'Referrers.csv', bytes: 'Referrer Hostname,Referrer Pathname,Views,Visits,Timestamp\nhttps://www.google.com,/,3,2,2024-01-01\n,,1,1,2024-01-01\n' },
    { name: 'Events.csv', bytes: 'Event Name,Completions,Unique Completions,Timestamp\nsign up,3,2,2024-01-01\n' },
    { name: 'notes.csv', bytes: 'a,b\n1,2\n' },
  ]) // biome-ignore format: a file a line
  const { tables, unknown } = await readTables('fathom', bytes, { name: 'fathom.zip' })
  expect(unknown).toEqual(['notes.csv'])
  const google = ['Google', 'Organic Search', 'www.google.com', 3, 2, 2]
  const expected: [columns: string, ...rows: (string | number)[][]][] = [
    ['path pageviews visitors', ['/a', 9, 7]],
    ['browser pageviews visitors sessions bounces duration_seconds', ['Chrome', 9, 4, 4, 2, 40]],
    ['country visitors sessions', ['DE', 4, 4], ['AT', 2, 2], ['', 1, 1]],
    ['size pageviews', ['mobile', 9]],
    ['source channel referrer pageviews visitors sessions', google, ['Direct / None', 'Direct', '', 1, 1, 1]],
    ['event_name events visitors', ['sign up', 3, 2]],
  ]
  expect(
    tables.map(({ dimensions, numbers, rows }) => [[...dimensions, ...numbers].join(' '), ...rows]),
  ).toEqual(expected.map(([columns, ...rows]) => [columns, ...rows.map(row => ['2024-01-01', ...row])]))
})

test('totals of Fathom: a file without days is refused', async () => {
  await expect(readTables('fathom', 'browser,visits\nChrome,1\n')).rejects.toMatchObject(
    refused(/needs a column Timestamp or Date/),
  )
})

test('totals of Fathom: a table that is split by a column that is not kept brings nothing, and says so', async () => {
  for (const column of ['Browser Version', 'Region', 'Hour']) {
    const { tables } = await readTables('fathom', `${column},Visits,Date\nx,1,2024-01-01\n`)
    const reason = `the column “${column.toLowerCase()}” is not known: export the table without it`
    expect(tables, column).toMatchObject([{ rows: [], left: [reason] }])
  }
  const text = 'Country,Region,Visits,Value,Date\nDE,Berlin,1,0,2024-01-01\n'
  const { tables } = await readTables('fathom', text)
  expect(tables[0]).toMatchObject({ dimensions: ['country'], rows: [['2024-01-01', 'DE', 1, 1]] })
})
