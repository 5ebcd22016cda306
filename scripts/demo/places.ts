import { type Random, type Weighted, weighted } from '../random.ts'

/** A country that visitors come from. */
interface Country {
  languages: readonly Weighted<string>[]
  /** First two octets of networks whose addresses the packaged database finds in the country. */
  networks: string[]
}

const country = (languages: string, networks: string): Country => ({
  // The first language is that of most visitors.
  languages: languages.split(' ').map((language, index) => [language, index === 0 ? 9 : 1]),
  networks: networks.split(' '),
})

const COUNTRIES: Record<string, Country> = {
  US: country('en-US es-US', '73.0 24.6 98.200 68.80 71.190 96.230 67.160 174.60'),
  DE: country('de-DE en-US de', '84.140 91.10 87.150 93.220 79.200 217.80'),
  GB: country('en-GB', '81.140 86.150 82.30 90.200 109.150 2.120'),
  IN: country('en-IN en-US hi-IN', '49.36 117.195 122.160 106.200 59.90'),
  CA: country('en-CA fr-CA', '70.50 24.200 99.240 142.110 184.144'),
  FR: country('fr-FR en-US', '90.10 86.200 82.120 88.170 92.150'),
  NL: country('nl-NL en-US', '77.160 84.24 94.210 62.45 213.10'),
  BR: country('pt-BR', '177.30 187.20 189.100 179.180'),
  AU: country('en-AU', '1.120 101.160 121.210 49.180 58.160'),
  ES: country('es-ES ca-ES', '83.40 88.10 95.120 79.150'),
  PL: country('pl-PL en-US', '83.20 31.60'),
  IT: country('it-IT', '79.20 87.10 93.40 151.40 82.50'),
  SE: country('sv-SE en-US', '90.230 81.225 78.70 2.250'),
  JP: country('ja-JP', '126.30 133.200 153.160 60.100 118.1'),
  CH: country('de-CH fr-CH', '85.0 188.60'),
  AT: country('de-AT', '80.110'),
  DK: country('da-DK en-US', '80.160 87.50 83.90'),
  NO: country('nb-NO en-US', '88.90 2.148'),
  FI: country('fi-FI en-US', '84.248 80.220'),
  BE: country('nl-BE fr-BE', '81.240 91.180 109.130 78.20'),
  IE: country('en-IE', '86.40 89.100 109.76 78.16'),
  PT: country('pt-PT', '85.240 188.80 2.80'),
  SG: country('en-SG zh-SG', '116.86 119.74 121.6 175.156 203.116'),
  MX: country('es-MX', '187.190 189.130 148.240'),
  UA: country('uk-UA', '46.200 176.36 178.150'),
  ZA: country('en-ZA', '41.13 105.184 196.210 102.65 197.80'),
  TR: country('tr-TR', '78.160 85.96 88.230 95.5 176.40'),
  KR: country('ko-KR', '175.200 121.130 211.200 118.32 1.210'),
  AR: country('es-AR', '181.10 186.130 190.50 24.232'),
  NZ: country('en-NZ', '125.236 122.56 118.92 203.97 121.98'),
}

const SHARES = weighted({
  ...{ US: 31, DE: 13, GB: 9, IN: 7, CA: 5, FR: 5, NL: 4, BR: 3.5, AU: 3, ES: 2.5, PL: 2, IT: 2, SE: 1.6 },
  ...{ JP: 1.5, CH: 1.4, AT: 1.2, DK: 1, NO: 1, FI: 0.8, BE: 1, IE: 0.8, PT: 0.8, SG: 0.8, MX: 0.7, UA: 0.6 },
  ...{ ZA: 0.5, TR: 0.5, KR: 0.5, AR: 0.5, NZ: 0.4 },
})

export interface Place {
  country: string
  ip: string
  language: string
}

/** Returns the address and language of a visitor. The service finds the country by the address. */
export function placeOf(random: Random): Place {
  const code = random.weigh(SHARES)
  const { languages, networks } = COUNTRIES[code]!
  const ip = `${random.pick(networks)}.${random.below(256)}.${random.between(1, 254)}`
  return { country: code, ip, language: random.weigh(languages) }
}
