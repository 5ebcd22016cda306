import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import { browserOf, countryOf, given, pathOf, sizeOf, systemOf } from './values.ts'

// Names of columns, in lower case: of the Data API, and of the reports in English.

export const PLACES: [Dimension, string[], (value: string) => string][] = [
  ['path', ['pagepath', 'pagepathplusquerystring', 'page path', 'page path and screen class'], pathOf],
  [
    'entry_path',
    ['landingpage', 'landingpageplusquerystring', 'landing page', 'landing page + query string'],
    pathOf,
  ],
  ['hostname', ['hostname'], given],
  ['country', ['countryid', 'country id', 'country'], countryOf],
  ['city', ['city', 'town/city'], given],
  ['size', ['devicecategory', 'device category', 'device'], sizeOf],
  ['browser', ['browser'], browserOf],
  ['os', ['operatingsystem', 'operating system'], systemOf],
  ['os_version', ['operatingsystemversion', 'os version', 'operating system version'], given],
  [
    'utm_campaign',
    ['sessioncampaignname', 'sessionmanualcampaignname', 'session campaign', 'session manual campaign name'],
    given,
  ],
  ['utm_content', ['sessionmanualadcontent', 'session manual ad content'], given],
  ['utm_term', ['sessionmanualterm', 'session manual term'], given],
  ['event_name', ['eventname', 'event name'], value => value],
]

export const SOURCE = ['sessionsource', 'session source']
export const MEDIUM = ['sessionmedium', 'session medium']
export const SOURCE_MEDIUM = ['sessionsourcemedium', 'session source / medium', 'session source/medium']

export const COUNTS: [TotalsNumber, string[]][] = [
  ['visitors', ['totalusers', 'total users', 'activeusers', 'active users', 'users']],
  ['sessions', ['sessions']],
  ['pageviews', ['screenpageviews', 'views', 'screen page views']],
]

/** Dimensions of a session that are not kept: their rows add up to those of another dimension, but not to the visitors of the site. */
const ADDED_UP = ['region', 'regionid', 'continent', 'continentid', 'subcontinent', 'subcontinentid']

/** What follows from the day, without spaces. */
const OF_DAY = new Set([
  ...['date', 'nthday', 'nthweek', 'nthmonth', 'nthyear', 'day', 'week', 'month', 'year'],
  ...['dayofweek', 'dayofweekname', 'weekofyear', 'monthofyear', 'yearweek', 'yearmonth'],
  ...['isoweek', 'isoyear', 'isoyearisoweek', 'isoweekofisoyear'],
])

/**
 * Numbers, without spaces.
 * @see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema#metrics
 */
const NUMBERS = new Set([
  ...COUNTS.flatMap(([, names]) => names.map(withoutSpaces)),
  ...[
    'active1dayusers',
    'active7dayusers',
    'active28dayusers',
    'newusers',
    'returningusers',
    'scrolledusers',
  ],
  ...['cohortactiveusers', 'cohorttotalusers', 'dauperwau', 'daupermau', 'waupermau', 'userstickiness'],
  ...['engagedsessions', 'engagementrate', 'bouncerate', 'averagesessionduration', 'userengagementduration'],
  ...['userengagement', 'averageengagementtime', 'averageengagementtimeperactiveuser'],
  ...['averageengagementtimeperuser', 'averageengagementtimepersession', 'sessionsperuser'],
  ...[
    'sessionsperactiveuser',
    'engagedsessionsperuser',
    'engagedsessionsperactiveuser',
    'entrances',
    'exits',
  ],
  ...['screenpageviewspersession', 'screenpageviewsperuser', 'viewspersession', 'viewsperuser'],
  ...['viewsperactiveuser', 'eventcount', 'eventcountperuser', 'eventcountperactiveuser', 'eventspersession'],
  ...['eventvalue', 'keyevents', 'sessionkeyeventrate', 'userkeyeventrate', 'conversions'],
  ...['sessionconversionrate', 'userconversionrate', 'totalrevenue', 'purchaserevenue', 'totaladrevenue'],
  ...[
    'grosspurchaserevenue',
    'averagerevenueperuser',
    'averagepurchaserevenue',
    'averagepurchaserevenueperuser',
  ],
  ...[
    'averagepurchaserevenueperpayinguser',
    'transactions',
    'transactionsperpurchaser',
    'ecommercepurchases',
  ],
  ...['purchases', 'totalpurchasers', 'firsttimepurchasers', 'firsttimepurchaserrate', 'purchaserrate'],
  ...['firsttimepurchaserspernewuser', 'addtocarts', 'carttoviewrate', 'purchasetoviewrate', 'checkouts'],
  ...['refundamount', 'shippingamount', 'taxamount', 'itemrevenue', 'itemsviewed', 'itemsaddedtocart'],
  ...['itemscheckedout', 'itemspurchased', 'crashaffectedusers', 'crashfreeusersrate', 'adunitexposure'],
  ...['advertiseradclicks', 'advertiseradcost', 'advertiseradcostperclick', 'advertiseradcostperkeyevent'],
  ...['advertiseradimpressions', 'publisheradclicks', 'publisheradimpressions', 'returnonadspend'],
])

/** Numbers of one event, such as `keyEvents:purchase`. */
const NUMBER_OF_EVENT = /^(keyevents|sessionkeyeventrate|userkeyeventrate|conversions):/

const KEPT = new Set([SOURCE, MEDIUM, SOURCE_MEDIUM, ...COUNTS.map(([, names]) => names)].flat())

/** The one column of each dimension that is read: another one, such as the path with its query, splits its rows. A country's name and code do not. */
const readColumns = (columns: Set<string>): (string | undefined)[] =>
  PLACES.flatMap(([dimension, names]) =>
    dimension === 'country' ? names : names.find(name => columns.has(name)),
  )

/**
 * Returns a column that may split the rows of a table by something that is not kept: its rows are not the totals of what is kept.
 * @param hasPlaces whether the table has a dimension that is kept
 */
export function splittingColumn(columns: Set<string>, hasPlaces: boolean): string | undefined {
  const kept = new Set([...KEPT, ...readColumns(columns)])
  return [...columns].find(column => {
    const name = withoutSpaces(column)
    if (name === '' || kept.has(column) || OF_DAY.has(name) || NUMBERS.has(name)) return false
    return !NUMBER_OF_EVENT.test(name) && !(hasPlaces && ADDED_UP.includes(name))
  })
}

function withoutSpaces(column: string): string {
  return column.replace(/[\s_]+/g, '')
}
