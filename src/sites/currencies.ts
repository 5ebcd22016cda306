/** Every reporting currency a site can have: ISO 4217 code to English name. */
const CURRENCIES: Readonly<Record<string, string>> = {
  USD: 'US Dollar',
  EUR: 'Euro',
  GBP: 'British Pound',
  BRL: 'Brazilian Real',
  JPY: 'Japanese Yen',
  CAD: 'Canadian Dollar',
  AUD: 'Australian Dollar',
  CHF: 'Swiss Franc',
  CNY: 'Chinese Yuan',
  INR: 'Indian Rupee',
  MXN: 'Mexican Peso',
  ZAR: 'South African Rand',
  SEK: 'Swedish Krona',
  NOK: 'Norwegian Krone',
  DKK: 'Danish Krone',
  PLN: 'Polish Zloty',
  CZK: 'Czech Koruna',
  HUF: 'Hungarian Forint',
  RUB: 'Russian Ruble',
  TRY: 'Turkish Lira',
  KRW: 'South Korean Won',
  SGD: 'Singapore Dollar',
  HKD: 'Hong Kong Dollar',
  NZD: 'New Zealand Dollar',
  THB: 'Thai Baht',
  IDR: 'Indonesian Rupiah',
  MYR: 'Malaysian Ringgit',
  PHP: 'Philippine Peso',
  VND: 'Vietnamese Dong',
  AED: 'UAE Dirham',
}

export const currencyCodes = Object.keys(CURRENCIES)

/** Returns whether a site can report in the currency. Codes are upper case. */
export function isReportingCurrency(code: string): boolean {
  return Object.hasOwn(CURRENCIES, code)
}

/** Returns the currencies to choose from, labelled `USD – US Dollar`, in the order of the table. */
export function currencyOptions(): { value: string; label: string }[] {
  return Object.entries(CURRENCIES).map(([value, name]) => ({ value, label: `${value} – ${name}` }))
}
