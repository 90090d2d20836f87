import type { PaymentCurrency } from '../contract/payments.js';
import type { Country } from '../contract/customers.js';

/** A city where companies and banks of the mock stand. */
export interface City {
  readonly name: string;
  readonly province: string;
  readonly postalCode: string;
}

/** A bank of the mock; all are invented. */
export interface Bank {
  readonly name: string;
  readonly bic: string;
}

/** A country of the mock, with what its accounts look like. */
export interface Place {
  readonly country: Country;
  /** How companies end there. */
  readonly companyForm: string;
  readonly cities: readonly [City, ...City[]];
  readonly banks: readonly [Bank, ...Bank[]];
  /** How payments are paid out there. */
  readonly rail: string;
  /** How long an account number is there. */
  readonly accountDigits: number;
}

const place = (
  alpha2: string, name: string, companyForm: string, rail: string, accountDigits: number,
  cities: readonly [readonly [string, string, string], ...(readonly [string, string, string])[]],
  banks: readonly [readonly [string, string], ...(readonly [string, string])[]],
): Place => {
  const city = ([cityName, province, postalCode]: readonly [string, string, string]): City => ({ name: cityName, province, postalCode });
  const bank = ([bankName, prefix]: readonly [string, string]): Bank => ({ name: bankName, bic: `${prefix}${alpha2}22XXX` });
  const [firstCity, ...cityRest] = cities;
  const [firstBank, ...bankRest] = banks;
  return {
    country: { alpha2, name }, companyForm, rail, accountDigits,
    cities: [city(firstCity), ...cityRest.map(city)], banks: [bank(firstBank), ...bankRest.map(bank)],
  };
};

const unitedStates = place('US', 'United States', 'LLC', 'WIRE', 10,
  [['Austin', 'Texas', '78701'], ['Chicago', 'Illinois', '60606'], ['Miami', 'Florida', '33131']],
  [['Continental Harbor Bank', 'CHBA'], ['First Prairie Bank', 'FPRB']]);
const brazil = place('BR', 'Brazil', 'Ltda.', 'PIX', 8,
  [['São Paulo', 'São Paulo', '01310-100'], ['Curitiba', 'Paraná', '80010-000']], [['Banco do Litoral', 'BLIT'], ['Banco Serra Azul', 'BSAZ']]);
const mexico = place('MX', 'Mexico', 'S.A. de C.V.', 'SPEI', 18,
  [['Monterrey', 'Nuevo León', '64000'], ['Guadalajara', 'Jalisco', '44100']], [['Banco del Valle', 'BVAL'], ['Banca Mirador', 'BMIR']]);
const colombia = place('CO', 'Colombia', 'S.A.S.', 'ACH', 11,
  [['Bogotá', 'Cundinamarca', '110111'], ['Medellín', 'Antioquia', '050001']], [['Banco Cordillera', 'BCOR']]);
const hongKong = place('HK', 'Hong Kong', 'Limited', 'RTGS', 12, [['Kowloon', 'Kowloon', '999077']], [['Victoria Bay Bank', 'VBAY']]);
const china = place('CN', 'China', 'Co., Ltd.', 'CNAPS', 19,
  [['Shenzhen', 'Guangdong', '518000'], ['Ningbo', 'Zhejiang', '315000']], [['Pearl Delta Commercial Bank', 'PDCB']]);
const nigeria = place('NG', 'Nigeria', 'Limited', 'NIP', 10,
  [['Lagos', 'Lagos', '101233'], ['Port Harcourt', 'Rivers', '500101']], [['Lagoon Trust Bank', 'LGTB'], ['Savannah Merchant Bank', 'SVMB']]);
const kenya = place('KE', 'Kenya', 'Ltd', 'RTGS', 13, [['Nairobi', 'Nairobi', '00100'], ['Mombasa', 'Mombasa', '80100']], [['Rift Valley Bank', 'RVBK']]);
const malawi = place('MW', 'Malawi', 'Ltd', 'RTGS', 12, [['Blantyre', 'Southern Region', '312200']], [['Shire Highlands Bank', 'SHBK']]);
const southAfrica = place('ZA', 'South Africa', '(Pty) Ltd', 'EFT', 11,
  [['Cape Town', 'Western Cape', '8001'], ['Durban', 'KwaZulu-Natal', '4001']], [['Cape Mercantile Bank', 'CMER']]);
const senegal = place('SN', 'Senegal', 'SARL', 'STAR-UEMOA', 12, [['Dakar', 'Dakar', '10200']], [['Banque de la Teranga', 'BTER']]);
const cameroon = place('CM', 'Cameroon', 'SARL', 'SYGMA', 11, [['Douala', 'Littoral', '00237']], [['Banque du Wouri', 'BWOU']]);
const uganda = place('UG', 'Uganda', 'Ltd', 'EFT', 13, [['Kampala', 'Central Region', '10101']], [['Pearl Savings Bank', 'PSAV']]);
const tanzania = place('TZ', 'Tanzania', 'Ltd', 'TISS', 13, [['Dar es Salaam', 'Dar es Salaam', '11101']], [['Kilimanjaro Trade Bank', 'KTRB']]);
const zambia = place('ZM', 'Zambia', 'Ltd', 'ZIPSS', 13, [['Lusaka', 'Lusaka', '10101']], [['Copperbelt Bank', 'CBLT']]);
const botswana = place('BW', 'Botswana', '(Pty) Ltd', 'BISS', 11, [['Gaborone', 'South-East', '00267']], [['Okavango Bank', 'OKAV']]);
const singapore = place('SG', 'Singapore', 'Pte. Ltd.', 'FAST', 10, [['Singapore', 'Singapore', '018956']], [['Straits Commerce Bank', 'STCB']]);

/** Where accounts of each currency are held. Tokens are paid out by American banks here. */
const placeOfCurrency: { readonly [C in PaymentCurrency]: Place } = {
  USD: unitedStates, BRL: brazil, MXN: mexico, COP: colombia, HKD: hongKong, CNY: china, NGN: nigeria, KES: kenya, MWK: malawi,
  ZAR: southAfrica, XOF: senegal, XAF: cameroon, UGX: uganda, TZS: tanzania, ZMW: zambia, BWP: botswana, SGD: singapore,
  USDT: unitedStates, USDC: unitedStates, DAI: unitedStates, BTC: unitedStates,
};

/** The currencies of payments for which none is given. */
export const everydayCurrencies = ['USD', 'BRL', 'MXN', 'COP', 'HKD', 'CNY', 'NGN', 'KES', 'ZAR', 'SGD'] as const satisfies readonly PaymentCurrency[];

/** Where the mock's customers are at home. */
export const customerPlaces: readonly [Place, ...Place[]] = [unitedStates, brazil, mexico, singapore, hongKong, southAfrica, nigeria, kenya];

/** What one unit of each currency is worth in US dollars: a fixed rate of about the right size, so that tests add up. */
export const usdPerUnit: { readonly [C in PaymentCurrency]: string } = {
  USD: '1', BRL: '0.185', MXN: '0.0545', COP: '0.00025', HKD: '0.128', CNY: '0.14', NGN: '0.00066', KES: '0.0077', MWK: '0.00058',
  ZAR: '0.056', XOF: '0.0017', XAF: '0.0017', UGX: '0.00028', TZS: '0.0004', ZMW: '0.042', BWP: '0.074', SGD: '0.77',
  USDT: '1', USDC: '1', DAI: '1', BTC: '91500',
};

/** Whether a text names a currency of the contract. */
export function isKnownCurrency(code: string): code is PaymentCurrency {
  return Object.hasOwn(usdPerUnit, code);
}

/** The place of a currency; of an unknown one, the United States. */
export function placeOf(currencyCode: string): Place {
  return isKnownCurrency(currencyCode) ? placeOfCurrency[currencyCode] : unitedStates;
}
