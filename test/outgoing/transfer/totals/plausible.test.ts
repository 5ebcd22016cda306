import { expect, test } from 'vitest'
import { refused } from '../read/source.ts'
import { zipOf } from '../read/zip-file.ts'
import { readTables } from './read-tables.ts'

const read = (text: string, name: string) => readTables('plausible-totals', text, { name })

// Rows in the form of the documentation of the export and of its importer.
const FILES = {
  'imported_visitors_20230209_20240123.csv':
    '"date","visitors","pageviews","bounces","visits","visit_duration"\n"2023-02-09",119,304,77,134,21070\n',
  'imported_pages_20230209_20240123.csv':
    '"date","hostname","page","visits","visitors","pageviews","total_scroll_depth","total_scroll_depth_visits"\n"2023-02-09","example.com","/docs",8,7,11,\\N,\\N\n',
  'imported_entry_pages_20230209_20240123.csv':
    '"date","entry_page","visitors","entrances","visit_duration","bounces","pageviews"\n"2023-02-09","/docs",28,29,3573,13,64\n',
  'imported_exit_pages_20230209_20240123.csv':
    '"date","exit_page","visitors","visit_duration","exits","bounces","pageviews"\n"2023-02-09","/docs",14,224,14,13,23\n',
  'imported_sources_20230209_20240123.csv':
    '"date","source","referrer","utm_source","utm_medium","utm_campaign","utm_content","utm_term","pageviews","visitors","visits","visit_duration","bounces"\n' +
    '"2023-02-09","Google","google.com","","","","","",70,23,25,8249,13\n' +
    '"2023-02-09","support","secure.helpscout.net","support","email","","","",2,1,1,11,0\n' +
    '"2023-02-09","","","","","","","",9,5,6,10,4\n',
  'imported_devices_20230209_20240123.csv':
    '"date","device","visitors","visits","visit_duration","bounces","pageviews"\n"2023-02-09","Laptop",19,21,3545,11,36\n"2023-02-09","",1,1,0,1,1\n',
  'imported_browsers_20230209_20240123.csv':
    '"date","browser","browser_version","visitors","visits","visit_duration","bounces","pageviews"\n"2023-02-09","Microsoft Edge","111.0",1,1,987,0,3\n',
  'imported_operating_systems_20230209_20240123.csv':
    '"date","operating_system","operating_system_version","visitors","visits","visit_duration","bounces","pageviews"\n"2023-02-09","Mac","10.14",1,1,19,0,2\n"2023-02-09","GNU/Linux","",1,1,0,1,1\n',
  'imported_locations_20230209_20240123.csv':
    '"date","country","region","city","visitors","visits","visit_duration","bounces","pageviews"\n"2023-02-09","FR","FR-PAC",3027647,1,1,4,0,2\n',
  'imported_custom_events_20230209_20240123.csv':
    '"date","name","link_url","path","visitors","events"\n"2023-02-09","Outbound Link: Click","https://one.example.com/","",1,2\n',
}

test('totals of Plausible: all ten files of the export are read, in the words of this service', async () => {
  const bytes = zipOf([
    ...Object.entries(FILES).map(([name, text]) => ({ name, bytes: text })),
    { name: 'README.txt', bytes: 'x' },
  ])
  const { tables, unknown } = await readTables('plausible-totals', bytes, {
    name: 'example_com_20240124.zip',
  })
  expect(unknown).toEqual(['README.txt'])
  const full = 'visitors pageviews bounces duration_seconds'
  const sources = `source channel referrer utm_source utm_medium utm_campaign utm_content utm_term sessions ${full}`
  const support = ['support', 'Email', 'secure.helpscout.net', 'support', 'email', '', '', '', 1, 1, 2, 0, 11]
  const google = ['Google', 'Organic Search', 'google.com', '', '', '', '', '', 25, 23, 70, 13, 8249]
  const direct = ['Direct / None', 'Direct', '', '', '', '', '', '', 6, 5, 9, 4, 10]
  const expected: [file: string, columns: string, ...rows: (string | number)[][]][] = [
    ['visitors', `sessions ${full}`, [134, 119, 304, 77, 21070]],
    ['pages', 'path sessions visitors pageviews', ['/docs', 8, 7, 11]],
    ['entry_pages', `entry_path sessions ${full}`, ['/docs', 29, 28, 64, 13, 3573]],
    ['exit_pages', `exit_path sessions ${full}`, ['/docs', 14, 14, 23, 13, 224]],
    ['sources', sources, google, support, direct],
    ['devices', `size sessions ${full}`, ['desktop', 21, 19, 36, 11, 3545], ['', 1, 1, 1, 1, 0]],
    ['browsers', `browser browser_version sessions ${full}`, ['Edge', '111.0', 1, 1, 3, 0, 987]],
    [
      'operating_systems',
      `os os_version sessions ${full}`,
      ['macOS', '10.14', 1, 1, 2, 0, 19],
      ['Linux', '', 1, 1, 1, 1, 0],
    ],
    ['locations', `country region sessions ${full}`, ['FR', 'FR-PAC', 1, 1, 2, 0, 4]],
    ['custom_events', 'event_name visitors events', ['Outbound Link: Click', 1, 2]],
  ]
  const found = tables.map(({ file, dimensions, numbers, rows }) => [
    file.replace(/^imported_|_\d{8}_\d{8}\.csv$/g, ''),
    [...dimensions, ...numbers].join(' '),
    ...rows,
  ])
  expect(found).toEqual(
    expected.map(([file, columns, ...rows]) => [file, columns, ...rows.map(row => ['2023-02-09', ...row])]),
  )
})

test('totals of Plausible: older files lack columns; what they do not have stays unknown', async () => {
  const tableOf = async (text: string, name: string) => (await read(text, name)).tables[0]
  const pages =
    '"date","visitors","pageviews","exits","time_on_page","hostname","page"\n"2021-12-30",8,10,1,3,"lucky.example","/a"\n'
  expect(await tableOf(pages, 'imported_pages_20211230_20220101.csv')).toMatchObject({
    ...{ dimensions: ['path'], numbers: ['visitors', 'pageviews'], rows: [['2021-12-30', '/a', 8, 10]] },
  })
  const sources =
    '"date","source","utm_medium","utm_campaign","utm_content","utm_term","visitors","visits","visit_duration","bounces"\n' +
    '"2021-12-30","Hacker News","referral","","","",2,2,0,2\n'
  expect(await tableOf(sources, 'imported_sources_20211230_20220106.csv')).toMatchObject({
    dimensions: ['source', 'channel', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
    rows: [['2021-12-30', 'Hacker News', 'Organic Social', 'referral', '', '', '', 2, 2, 2, 0]],
  })
  const exits = '"date","visitors","exits","exit_page"\n"2021-12-30",1,2,"/a"\n'
  expect(await tableOf(exits, 'exit_pages.csv')).toMatchObject({
    ...{ numbers: ['sessions', 'visitors'], rows: [['2021-12-30', '/a', 2, 1]] },
  })
  const bouncesAlone = 'date,browser,visitors,bounces\n2021-12-30,Chrome,3,1\n'
  expect((await tableOf(bouncesAlone, 'browsers.csv'))!.numbers).toEqual(['visitors'])
})

test('totals of Plausible: quotes and line breaks in values, empty names, a byte order mark', async () => {
  const text =
    '\uFEFFdate,name,visitors,events\r\n2023-01-01,"A ""quoted"",\nname",1,2\r\n2023-01-01,"",1,1\r\n2023-01-01,\u0000x,\\N,1\r\n'
  expect((await read(text, 'imported_custom_events.csv')).tables[0]!.rows).toEqual([
    ['2023-01-01', 'A "quoted",\nname', 1, 2],
    ['2023-01-01', '', 1, 1],
    ['2023-01-01', 'x', 0, 1],
  ])
})

test('totals of Plausible: rows without a day or with impossible numbers are left out, with the reason', async () => {
  const cases: [row: string, reason: string][] = [
    ['2023-02-30,1', 'the row has no day'],
    [',1', 'the row has no day'],
    ['2023-01-01,-1', 'visitors is no number that can be'],
    ['2023-01-01,1.5', 'visitors is no number that can be'],
    ['2023-01-01,99999999999', 'visitors is no number that can be'],
  ]
  const text = `date,visitors\n${cases.map(([row]) => `${row}\n`).join('')}2023-01-02,7\n`
  const { tables } = await read(text, 'imported_visitors.csv')
  expect(tables[0]).toMatchObject({ rows: [['2023-01-02', 7]], left: cases.map(([, reason]) => reason) })
})

test('totals of Plausible: a file that is not of the export is refused, with what is missing', async () => {
  for (const [text, name, message] of [
    ['a,b\n1,2\n', 'something.csv', /no totals of Plausible/],
    ['visitors\n1\n', 'imported_visitors.csv', /has no column date/],
    ['date,visitors\n2023-01-01,1\n', 'imported_browsers.csv', /imported_browsers.csv has no column browser/],
    ['date,browser\n2023-01-01,Chrome\n', 'imported_browsers.csv', /no column with numbers/],
    ['', 'imported_visitors.csv', /no totals of Plausible/],
  ] as const) {
    await expect(read(text, name)).rejects.toMatchObject(refused(message))
  }
})
