import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigurationError, Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { AppModule } from './app.module';

const platform = createMockPlatform({ seed: 1 });
let application: INestApplication;
let url: string;

beforeAll(async () => {
  const module = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(Corridor)
    .useValue(new Corridor(platform.clientOptions()))
    .compile();
  application = module.createNestApplication({ logger: false });
  await application.listen(0, '127.0.0.1');
  url = await application.getUrl();
});
afterAll(() => application.close());

test('a route returns data of the platform', async () => {
  const customer = platform.customers.add({ status: 'APPROVED' });
  const payment = platform.payments.add({ customerId: customer.id, amount: '1250.00', status: 'COMPLETED' });
  platform.payments.add({ status: 'COMPLETED' });

  const response = await fetch(`${url}/customers/${customer.id}/paid`);

  expect(await response.json()).toEqual([{ id: payment.id, amount: '1250.00' }]);
});

test('instanceof recognizes an error of the client', async () => {
  const response = await fetch(`${url}/customers/cus_nobody/paid`);

  expect(response.status).toBe(404);
});

test('without credentials the application does not start, and says why', async () => {
  await expect(Test.createTestingModule({ imports: [AppModule] }).compile()).rejects.toThrow(ConfigurationError);
});
