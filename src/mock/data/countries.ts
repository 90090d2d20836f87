import type { PaymentCurrency } from '../../contract/schema/payments.js';
import type { Country } from '../../contract/schema/customers.js';

/** A city of the mock's companies and banks. */
export interface City {
  readonly name: string;
  readonly province: string;
  readonly postalCode: string;
}

/** A bank of the mock. All banks are fictional. */
export interface Bank {
  readonly name: string;
  readonly bic: string;
}

/** The profile of a country: its cities and banks, and the format of its accounts. */
export interface CountryProfile {
  readonly country: Country;
  /** The legal form that ends company names. */
  readonly companyForm: string;
  readonly cities: readonly City[];
  readonly banks: readonly Bank[];
  /** The payment rail. */
  readonly rail: string;
  /** The length of an account number. */
  readonly accountDigits: number;
}

const countryProfile = (
  alpha2: string, name: string, companyForm: string, rail: string, accountDigits: number,
  cities: readonly (readonly [name: string, province: string, postalCode: string])[],
  banks: readonly (readonly [name: string, prefix: string])[],
): CountryProfile => ({
  country: { alpha2, name }, companyForm, rail, accountDigits,
  cities: cities.map(([cityName, province, postalCode]) => ({ name: cityName, province, postalCode })),
  banks: banks.map(([bankName, prefix]) => ({ name: bankName, bic: `${prefix}${alpha2}22XXX` })),
});

const unitedStates = countryProfile('US', 'United States', 'LLC', 'WIRE', 10,
  [['Austin', 'Texas', '78701'], ['Chicago', 'Illinois', '60606'], ['Miami', 'Florida', '33131']],
  [['Continental Harbor Bank', 'CHBA'], ['First Prairie Bank', 'FPRB']]);
const brazil = countryProfile('BR', 'Brazil', 'Ltda.', 'PIX', 8,
  [['São Paulo', 'São Paulo', '01310-100'], ['Curitiba', 'Paraná', '80010-000']], [['Banco do Litoral', 'BLIT'], ['Banco Serra Azul', 'BSAZ']]);
const mexico = countryProfile('MX', 'Mexico', 'S.A. de C.V.', 'SPEI', 18,
  [['Monterrey', 'Nuevo León', '64000'], ['Guadalajara', 'Jalisco', '44100']], [['Banco del Valle', 'BVAL'], ['Banca Mirador', 'BMIR']]);
const colombia = countryProfile('CO', 'Colombia', 'S.A.S.', 'ACH', 11,
  [['Bogotá', 'Cundinamarca', '110111'], ['Medellín', 'Antioquia', '050001']], [['Banco Cordillera', 'BCOR']]);
const hongKong = countryProfile('HK', 'Hong Kong', 'Limited', 'RTGS', 12, [['Kowloon', 'Kowloon', '999077']], [['Victoria Bay Bank', 'VBAY']]);
const china = countryProfile('CN', 'China', 'Co., Ltd.', 'CNAPS', 19,
  [['Shenzhen', 'Guangdong', '518000'], ['Ningbo', 'Zhejiang', '315000']], [['Pearl Delta Commercial Bank', 'PDCB']]);
const nigeria = countryProfile('NG', 'Nigeria', 'Limited', 'NIP', 10,
  [['Lagos', 'Lagos', '101233'], ['Port Harcourt', 'Rivers', '500101']], [['Lagoon Trust Bank', 'LGTB'], ['Savannah Merchant Bank', 'SVMB']]);
const kenya = countryProfile('KE', 'Kenya', 'Ltd', 'RTGS', 13, [['Nairobi', 'Nairobi', '00100'], ['Mombasa', 'Mombasa', '80100']], [['Rift Valley Bank', 'RVBK']]);
const malawi = countryProfile('MW', 'Malawi', 'Ltd', 'RTGS', 12, [['Blantyre', 'Southern Region', '312200']], [['Shire Highlands Bank', 'SHBK']]);
const southAfrica = countryProfile('ZA', 'South Africa', '(Pty) Ltd', 'EFT', 11,
  [['Cape Town', 'Western Cape', '8001'], ['Durban', 'KwaZulu-Natal', '4001']], [['Cape Mercantile Bank', 'CMER']]);
const senegal = countryProfile('SN', 'Senegal', 'SARL', 'STAR-UEMOA', 12, [['Dakar', 'Dakar', '10200']], [['Banque de la Teranga', 'BTER']]);
const cameroon = countryProfile('CM', 'Cameroon', 'SARL', 'SYGMA', 11, [['Douala', 'Littoral', '00237']], [['Banque du Wouri', 'BWOU']]);
const uganda = countryProfile('UG', 'Uganda', 'Ltd', 'EFT', 13, [['Kampala', 'Central Region', '10101']], [['Pearl Savings Bank', 'PSAV']]);
const tanzania = countryProfile('TZ', 'Tanzania', 'Ltd', 'TISS', 13, [['Dar es Salaam', 'Dar es Salaam', '11101']], [['Kilimanjaro Trade Bank', 'KTRB']]);
const zambia = countryProfile('ZM', 'Zambia', 'Ltd', 'ZIPSS', 13, [['Lusaka', 'Lusaka', '10101']], [['Copperbelt Bank', 'CBLT']]);
const botswana = countryProfile('BW', 'Botswana', '(Pty) Ltd', 'BISS', 11, [['Gaborone', 'South-East', '00267']], [['Okavango Bank', 'OKAV']]);
const singapore = countryProfile('SG', 'Singapore', 'Pte. Ltd.', 'FAST', 10, [['Singapore', 'Singapore', '018956']], [['Straits Commerce Bank', 'STCB']]);

/** The country profile of each currency. Tokens are paid out by banks in the United States. */
const profileOfCurrency: { readonly [C in PaymentCurrency]: CountryProfile } = {
  USD: unitedStates, BRL: brazil, MXN: mexico, COP: colombia, HKD: hongKong, CNY: china, NGN: nigeria, KES: kenya, MWK: malawi,
  ZAR: southAfrica, XOF: senegal, XAF: cameroon, UGX: uganda, TZS: tanzania, ZMW: zambia, BWP: botswana, SGD: singapore,
  USDT: unitedStates, USDC: unitedStates, DAI: unitedStates, BTC: unitedStates,
};

/** Returns whether a currency is a token, which goes to a wallet and not to a bank. */
export function isTokenCurrency(code: string): boolean {
  return ['USDT', 'USDC', 'DAI', 'BTC'].includes(code);
}

/** The currencies of payments that are added without a currency. */
export const commonCurrencies = ['USD', 'BRL', 'MXN', 'COP', 'HKD', 'CNY', 'NGN', 'KES', 'ZAR', 'SGD'] as const satisfies readonly PaymentCurrency[];

/** The country profiles of the mock's customers. */
export const customerCountries: readonly CountryProfile[] = [unitedStates, brazil, mexico, singapore, hongKong, southAfrica, nigeria, kenya];

/**
 * The price of one unit of each currency in US dollars: realistic but fixed, so that amounts in tests are reproducible.
 */
export const usdPerUnit: { readonly [C in PaymentCurrency]: string } = {
  USD: '1', BRL: '0.185', MXN: '0.0545', COP: '0.00025', HKD: '0.128', CNY: '0.14', NGN: '0.00066', KES: '0.0077', MWK: '0.00058',
  ZAR: '0.056', XOF: '0.0017', XAF: '0.0017', UGX: '0.00028', TZS: '0.0004', ZMW: '0.042', BWP: '0.074', SGD: '0.77',
  USDT: '1', USDC: '1', DAI: '1', BTC: '91500',
};

/** Returns whether a string is a currency of the contract. */
export function isKnownCurrency(code: string): code is PaymentCurrency {
  return Object.hasOwn(usdPerUnit, code);
}

/** Returns the country profile of a currency; the United States if the currency is unknown. */
export function countryProfileOf(currencyCode: string): CountryProfile {
  return isKnownCurrency(currencyCode) ? profileOfCurrency[currencyCode] : unitedStates;
}

/** Returns the country profile of a country by its two-letter code; undefined if the mock has none. */
export function countryProfileIn(alpha2: string): CountryProfile | undefined {
  return profileOfCountry.get(alpha2)?.[1];
}

/** Returns the currency of a country by its two-letter code; undefined if the mock has none. */
export function currencyIn(alpha2: string): PaymentCurrency | undefined {
  return profileOfCountry.get(alpha2)?.[0];
}

/** The first currency of each country, and its profile. */
const profileOfCountry = new Map(
  (Object.entries(profileOfCurrency) as [PaymentCurrency, CountryProfile][])
    .toReversed()
    .map((entry) => [entry[1].country.alpha2, entry]),
);
