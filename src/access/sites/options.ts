import { z } from 'zod'
import { flag, label } from '../../platform/schema/fields.ts'
import { isWithin } from '../../platform/schema/validation.ts'
import { canonicalZone, isIanaZone } from '../../platform/time/zones.ts'
import { currencyCodes, isReportingCurrency } from './currencies.ts'
import { normalizeDomain } from './domain.ts'

/** Declaration of a site option. Its name is its column in `sites` and its field in the API. */
interface SiteOption {
  /** The field in answers. */
  shown: z.ZodType
  /** The field in the request that changes it. */
  input?: z.ZodType
  /** The field in the request that creates a site. Without it, a new site has the default of the column. */
  atCreation?: z.ZodType
  isListed?: true
  /** In `TrackedSite`, which ingestion keeps in memory. */
  isTracked?: true
  /** Null is one of its values, so `updateSite` cannot change it: null means there that the option stays as it is. */
  isNullable?: true
}

const Domain = z
  .string()
  .refine(value => value !== '', 'is required')
  .refine(value => isWithin(value, 255), 'must be at most 255 characters')
  .refine(value => normalizeDomain(value) !== undefined, 'must be a host name, such as example.com')
  .overwrite(value => normalizeDomain(value) ?? value)
  .meta({
    minLength: 1,
    maxLength: 255,
    description:
      'Host name, IP address or `localhost`, with an optional port; scheme, path and a trailing dot are taken off.',
    example: 'example.com',
  })

const Timezone = z
  .string()
  .refine(
    value => isWithin(value, 255) && isIanaZone(value),
    'must be an IANA time zone, such as Europe/Berlin',
  )
  .overwrite(value => canonicalZone(value) ?? value)
  .meta({
    maxLength: 255,
    description: 'IANA time zone, one of `GET /api/timezones`.',
    example: 'Europe/Berlin',
  })

/** Codes are upper case: `usd` is refused like an unknown code. */
const Currency = z
  .string()
  .refine(code => isWithin(code, 3) && !isWithin(code, 2), {
    error: 'must be exactly 3 characters',
    abort: true,
  })
  .refine(isReportingCurrency, 'is not supported: GET /api/currencies lists those that are')
  .meta({
    description: 'One of `GET /api/currencies`, in upper case.',
    enum: currencyCodes,
    example: 'EUR',
  })

const TrackingMode = z
  .enum(['cookieless', 'cookie'])
  .meta({ description: 'Whether trackers keep a visitor id in a cookie.' })

const RetentionMonths = z.int().min(1).max(120).nullable().meta({
  description: 'Months for which hits and sessions are kept, 1 to 120; null: for ever. Numbers stay.',
  example: 25,
})

/**
 * Declares a flag.
 * @param claim what is true of a site that has the flag, as a sentence
 * @param example value in the example of the request that changes it
 */
const flagOption = (claim: string, example = false) => ({
  shown: flag(claim),
  input: flag(`Whether ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`, example),
})

/** Longest pattern, and all patterns of a site together: each hit of a site with replays is compared with them. */
const MAX_PATTERN = 200
const MAX_PATTERNS_LENGTH = 2_000

const pathPattern = z
  .string()
  .regex(/^\/[^\p{Cc},?#]*$/u, 'must be a path that begins with /, without a query, fragment or comma')
  .max(MAX_PATTERN, `must be at most ${MAX_PATTERN} characters`)

const PathPatterns = z
  .array(pathPattern)
  .max(50, 'must be at most 50 patterns')
  .refine(
    patterns => patterns.join('').length <= MAX_PATTERNS_LENGTH,
    `must be at most ${MAX_PATTERNS_LENGTH} characters together`,
  )
  .meta({
    description:
      'Paths of pages that are never recorded: `*` stands for any characters except `/`, `**` for any characters.',
    example: ['/account/**'],
  })

const ReplaySample = z.int().min(1).max(100).meta({
  description: 'Percent of visitors whose sessions are recorded, 1 to 100.',
  example: 25,
})

const ReplayDays = z.int().min(1).max(90).meta({
  description: 'Days for which session replays are kept, 1 to 90.',
  example: 30,
})

/** Options that `PATCH /api/sites/{siteKey}/features` changes. */
const FEATURES = {
  track_errors: { ...flagOption('Trackers report errors.', true), isTracked: true },
  track_web_vitals: { ...flagOption('Trackers report Web Vitals.'), isTracked: true },
  track_session_replay: { ...flagOption('Trackers record sessions.'), isTracked: true },
  replay_sample_percent: { shown: ReplaySample, input: ReplaySample, isTracked: true },
  replay_excluded_paths: { shown: PathPatterns, input: PathPatterns, isTracked: true },
  replay_days: { shown: ReplayDays, input: ReplayDays },
} satisfies Record<string, SiteOption>

/** Every option of a site. Schemas, statements, answers and the API description are derived from it. */
const SITE_OPTIONS = {
  domain: {
    shown: label('Domain, as it is kept: lower case, punycode, with a port if it has one.', 'example.com'),
    input: Domain,
    atCreation: Domain,
    isListed: true,
    isTracked: true,
  },
  timezone: {
    shown: label('IANA time zone: the reporting day.', 'Europe/Berlin'),
    input: Timezone,
    atCreation: Timezone.default('UTC'),
    isListed: true,
    isTracked: true,
  },
  currency: {
    shown: label('ISO 4217 reporting currency.', 'USD'),
    input: Currency,
    isListed: true,
    isTracked: true,
  },
  is_pinned: { shown: flag('Pinned to the top of the list.'), isListed: true },
  tracking_mode: { shown: TrackingMode, input: TrackingMode, isTracked: true },
  is_public: flagOption('The dashboard is shared publicly.', true),
  ...FEATURES,
  retention_months: { shown: RetentionMonths, input: RetentionMonths, isNullable: true },
} satisfies Record<string, SiteOption>

type Options = typeof SITE_OPTIONS
type Name = keyof Options
/** Names of the options that have all properties of `Part`. */
type NamesWith<Part> = { [Each in Name]: Options[Each] extends Part ? Each : never }[Name]
type Listed = NamesWith<{ isListed: true }>
type Tracked = NamesWith<{ isTracked: true }>
type Changeable = NamesWith<{ input: z.ZodType }>
/** Options that `OPTION_ASSIGNMENTS` sets. */
type Assigned = Exclude<Changeable, NamesWith<{ isNullable: true }>>
type AtCreation = NamesWith<{ atCreation: z.ZodType }>

const names = Object.keys(SITE_OPTIONS) as Name[]
const namesWith = <Names extends Name>(property: keyof SiteOption) =>
  names.filter(name => property in SITE_OPTIONS[name]) as Names[]

const assigned = namesWith<Changeable>('input').filter(
  (name): name is Assigned => !('isNullable' in SITE_OPTIONS[name]),
)
const atCreation = namesWith<AtCreation>('atCreation')

/** Returns one field of each option by its name, for an object schema. */
const fields = <Names extends Name, Field extends 'shown' | 'input' | 'atCreation'>(
  of: readonly Names[],
  field: Field,
) =>
  Object.fromEntries(of.map(name => [name, (SITE_OPTIONS[name] as SiteOption)[field]])) as {
    [Each in Names]: Field extends keyof Options[Each] ? Options[Each][Field] : never
  }

export const siteFields = fields(names, 'shown')
export const siteListFields = fields(namesWith<Listed>('isListed'), 'shown')

export const CreateSite = z.object(fields(atCreation, 'atCreation'))
export type CreateSite = z.infer<typeof CreateSite>

/** Input that changes one option. */
export const changeOf = <Each extends Changeable>(name: Each) => z.object(fields([name], 'input'))

/** Input that changes any of the features. What is left out keeps its value. */
export const ChangeFeatures = z
  .object(fields(Object.keys(FEATURES) as (keyof typeof FEATURES)[], 'input'))
  .partial()

type Inputs = { [Each in Assigned]: z.output<Options[Each]['input']> }
/** Options that a request changes, by their names. */
export type OptionChanges = Partial<Inputs>
/** Parameters of `OPTION_ASSIGNMENTS`; an option that is null stays as it is. */
export type OptionParameters = { [Each in Assigned]: Inputs[Each] | null }
export const optionParameters = (changes: OptionChanges) =>
  Object.fromEntries(assigned.map(name => [name, changes[name] ?? null])) as OptionParameters

/** Name of a column in the rows of statements. */
type Camel<Column extends string> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Column
const camel = <Column extends string>(column: Column) =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Camel<Column>

type Values<Names extends Name> = { [Each in Names as Camel<Each>]: z.output<Options[Each]['shown']> }
/** The options of a site, as its row has them: `trackErrors` for `track_errors`. */
export type OptionValues = Values<Name>
/** The options that ingestion needs, as the site's row has them. */
export type TrackedOptionValues = Values<Tracked>

const columns = (of: readonly Name[]) => of.map(name => `${name} as "${camel(name)}"`).join(', ')
/** Select lists of `OptionValues` and of `TrackedOptionValues`. */
export const OPTION_COLUMNS = columns(names)
export const TRACKED_OPTION_COLUMNS = columns(namesWith<Tracked>('isTracked'))

/** List of an update, with `OptionParameters`. */
export const OPTION_ASSIGNMENTS = assigned.map(name => `${name} = coalesce(:${name}, ${name})`).join(', ')

/** Columns of an insert and their parameters, which are a `CreateSite`. */
export const CREATION_COLUMNS = atCreation.join(', ')
export const CREATION_PARAMETERS = atCreation.map(name => `:${name}`).join(', ')

/** Returns the options as the API shows them. */
export const presentOptions = (site: OptionValues) =>
  Object.fromEntries(names.map(name => [name, site[camel(name)]])) as {
    [Each in Name]: z.output<Options[Each]['shown']>
  }
