import type { CountryProfile } from './countries.js';
import type { Random } from './random.js';

const list = (words: string): readonly string[] => words.split(', ');

const founders = list(
  'Alder, Baobab, Cedar, Delta, Ember, Fairwind, Granite, Harbor, Indigo, Juniper, Kestrel, Lantern, ' +
    'Meridian, Northgate, Orchard, Palmetto, Quarry, Redwood, Saffron, Tidewater, Umbra, Vantage, Willow, ' +
    'Zenith',
);
const trades = list(
  'Agricultural Supply, Apparel, Ceramics, Coffee Traders, Components, Electronics, Freight, Furniture, ' +
    'Hardware, Industrial, Instruments, Logistics, Machinery, Medical Supply, Minerals, Packaging, Pharma, ' +
    'Polymers, Seafood, Solar, Textiles, Tools, Trading, Wholesale',
);
const firstNames = list(
  'Amara, Beatriz, Chen, Daniel, Esther, Fatou, Gabriel, Hana, Ibrahim, Joana, Kwame, Lucía, Mateo, ' +
    'Naledi, Olivia, Paulo, Rania, Samuel, Thandiwe, Wei',
);
const lastNames = list(
  'Achieng, Banda, Castillo, Diallo, Evans, Ferreira, Gómez, Huang, Ito, Kamau, Lim, Mensah, Ndlovu, ' +
    'Okafor, Pereira, Quispe, Ramírez, Silva, Tan, Wambui',
);
const streets = list(
  'Market Street, Harbor Road, Station Avenue, Mill Lane, Independence Avenue, Commerce Street, ' +
    'Cathedral Road, Riverside Drive, Foundry Lane, Garden Avenue',
);
const purposes = list(
  'Payment for goods, Machine parts, Consulting services, Freight and customs, Software licences, ' +
    'Raw materials, Equipment maintenance, Packaging materials, Marketing services, Textile order',
);
const subjects = list(
  'A payment has not arrived, Question about a correction, Receipt for the auditors, ' +
    'Beneficiary details have changed, Limits for next quarter, A quote expired during approval',
);

/** A person's name. */
export interface PersonName {
  readonly first: string;
  readonly last: string;
}

/** Returns a company name with the legal form of a country. */
export const companyName = (random: Random, profile: CountryProfile): string =>
  [random.pick(founders), random.pick(trades), profile.companyForm].join(' ');

/** Returns the name of a person. */
export const personName = (random: Random): PersonName => ({
  first: random.pick(firstNames),
  last: random.pick(lastNames),
});

/** Returns a street with a number. */
export const streetAddress = (random: Random): string => [random.int(1, 240), random.pick(streets)].join(' ');

/** Returns the purpose of a payment. */
export const purpose = (random: Random): string => random.pick(purposes);

/** Returns the subject of a ticket. */
export const ticketSubject = (random: Random): string => random.pick(subjects);
