import { open, type Reader, type Response } from 'maxmind'

export interface Location {
  /** ISO 3166-1 alpha-2, upper case; empty when unknown. */
  country: string
  /** ISO 3166-2; empty when unknown. */
  region: string
  city: string
}

const UNKNOWN: Location = { country: '', region: '', city: '' }

/** The two record shapes in use: MaxMind's own, and the flat one of the packaged country database. */
interface Record {
  country_code?: string
  country?: { iso_code?: string } | string
  subdivisions?: { iso_code?: string }[]
  city?: { names?: { en?: string } } | string
  state1?: string
}

/**
 * Opens a MaxMind-format database and reads it into memory once.
 * @throws when the file is not such a database
 */
export async function openGeo(file: string) {
  const reader = (await open<Response>(file, { cache: { max: 10_000 } })) as Reader<Response>
  return {
    locate(address: string): Location {
      const record = lookUp(reader, address)
      return record ? locationOf(record) : UNKNOWN
    },
  }
}

export type Geo = Awaited<ReturnType<typeof openGeo>>

function locationOf(record: Record): Location {
  const country = (typeof record.country === 'object' ? record.country.iso_code : record.country_code) ?? ''
  const region = record.subdivisions?.[0]?.iso_code
  const city = typeof record.city === 'object' ? record.city.names?.en : record.city
  return {
    country: country.toUpperCase(),
    region: country && region ? `${country.toUpperCase()}-${region}` : '',
    city: city ?? '',
  }
}

function lookUp(reader: Reader<Response>, address: string): Record | null {
  try {
    return reader.get(address) as Record | null
  } catch {
    return null // not an address, or an address family that the database lacks
  }
}
