import type { Place } from './places.js';
import type { Random } from './random.js';

type List = readonly [string, ...string[]];

const founders: List = [
  'Alder', 'Baobab', 'Cedar', 'Delta', 'Ember', 'Fairwind', 'Granite', 'Harbor', 'Indigo', 'Juniper', 'Kestrel', 'Lantern', 'Meridian',
  'Northgate', 'Orchard', 'Palmetto', 'Quarry', 'Redwood', 'Saffron', 'Tidewater', 'Umbra', 'Vantage', 'Willow', 'Zenith',
];
const trades: List = [
  'Agricultural Supply', 'Apparel', 'Ceramics', 'Coffee Traders', 'Components', 'Electronics', 'Freight', 'Furniture', 'Hardware',
  'Industrial', 'Instruments', 'Logistics', 'Machinery', 'Medical Supply', 'Minerals', 'Packaging', 'Pharma', 'Polymers', 'Seafood',
  'Solar', 'Textiles', 'Tools', 'Trading', 'Wholesale',
];
const firstNames: List = [
  'Amara', 'Beatriz', 'Chen', 'Daniel', 'Esther', 'Fatou', 'Gabriel', 'Hana', 'Ibrahim', 'Joana', 'Kwame', 'Lucía', 'Mateo', 'Naledi',
  'Olivia', 'Paulo', 'Rania', 'Samuel', 'Thandiwe', 'Wei',
];
const lastNames: List = [
  'Achieng', 'Banda', 'Castillo', 'Diallo', 'Evans', 'Ferreira', 'Gómez', 'Huang', 'Ito', 'Kamau', 'Lim', 'Mensah', 'Ndlovu', 'Okafor',
  'Pereira', 'Quispe', 'Ramírez', 'Silva', 'Tan', 'Wambui',
];
const streets: List = [
  'Market Street', 'Harbor Road', 'Station Avenue', 'Mill Lane', 'Independence Avenue', 'Commerce Street', 'Cathedral Road',
  'Riverside Drive', 'Foundry Lane', 'Garden Avenue',
];
const purposes: List = [
  'Payment for goods', 'Machine parts', 'Consulting services', 'Freight and customs', 'Software licences', 'Raw materials',
  'Equipment maintenance', 'Packaging materials', 'Marketing services', 'Textile order',
];
const subjects: List = [
  'A payment has not arrived', 'Question about a correction', 'Receipt for the auditors', 'Beneficiary details have changed',
  'Limits for next quarter', 'A quote expired during approval',
];

/** A person's name. */
export interface PersonName {
  readonly first: string;
  readonly last: string;
}

/** The name of a company as they are called in a place. */
export const companyName = (random: Random, place: Place): string =>
  `${random.pick(founders)} ${random.pick(trades)} ${place.companyForm}`;

/** The name of a person. */
export const personName = (random: Random): PersonName => ({ first: random.pick(firstNames), last: random.pick(lastNames) });

/** A street with a number. */
export const streetAddress = (random: Random): string => `${random.whole(1, 240)} ${random.pick(streets)}`;

/** What a payment is for. */
export const purpose = (random: Random): string => random.pick(purposes);

/** What a ticket is about. */
export const ticketSubject = (random: Random): string => random.pick(subjects);
