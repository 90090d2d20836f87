import { describe, expect, test, vi } from 'vitest';
import { Corridor } from 'corridor-sdk';
import { scripted, unchecked } from '../scripted-fetch.js';
import { configurationErrorOf, hideEnvironment } from './client-options.js';

hideEnvironment();

describe('the base URL', () => {
  test.each([
    'https://platform.example',
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://127.8.9.1',
    'http://[::1]:4010',
    'http://api.localhost',
    'HTTPS://PLATFORM.EXAMPLE',
  ])('may be %s', (baseUrl) => {
    expect(new Corridor({ ...unchecked, baseUrl })).toBeInstanceOf(Corridor);
  });

  test.each([
    'http://platform.example',
    'http://10.0.0.1',
    'http://192.168.0.1',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://0.0.0.0',
    'http://[::2]',
    'http://xlocalhost',
    'ws://localhost',
    'file:///etc',
  ])('must be https, other than %s', (baseUrl) => {
    expect(configurationErrorOf({ ...unchecked, baseUrl }).message).toBe(
      'baseUrl must be https, because http would expose the API key (http is allowed for loopback addresses only). Pass an https URL, or for a mock on another host, its name in dangerouslyAllowHttpHosts',
    );
  });

  test.each([
    ['http://mock', ['mock']],
    ['http://mock:4010/gateway', ['other', 'mock']],
    ['http://MOCK', ['mock']],
    ['http://mock', ['Mock']],
    ['http://10.0.0.1', ['10.0.0.1']],
    ['http://[fd00::1]:80', ['[fd00::1]']],
    ['https://platform.example', ['mock']],
  ])('may be %s with dangerouslyAllowHttpHosts %j', (baseUrl, dangerouslyAllowHttpHosts) => {
    expect(new Corridor({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts })).toBeInstanceOf(Corridor);
  });

  test.each([
    ['http://mock.evil.example', ['mock']],
    ['http://evil.mock', ['mock']],
    ['http://xmock', ['mock']],
    ['http://mock.', ['mock']],
    ['ftp://mock', ['mock']],
    ['http://mock', []],
  ])('may not be %s with dangerouslyAllowHttpHosts %j', (baseUrl, dangerouslyAllowHttpHosts) => {
    expect(configurationErrorOf({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts }).message).toContain(
      'baseUrl must be https',
    );
  });

  test('may not be http in production, whatever is allowed', () => {
    vi.stubEnv('NODE_ENV', 'production');
    const dangerouslyAllowHttpHosts = ['mock'];
    for (const baseUrl of ['http://mock', 'https://platform.example'])
      expect(configurationErrorOf({ ...unchecked, baseUrl, dangerouslyAllowHttpHosts }).message).toBe(
        'dangerouslyAllowHttpHosts is for tests, and NODE_ENV is production. Omit it, and pass an https URL as baseUrl',
      );
  });

  test.each([
    ['https://platform.example/', ''],
    ['https://platform.example/gateway', '/gateway'],
    ['https://platform.example/gateway//', '/gateway'],
    ['https://platform.example/a/b/', '/a/b'],
  ])('%s has its path kept, but for slashes at its end', async (baseUrl, prefix) => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { baseUrl });
    await corridor.crypto.networks();
    expect(sent[0]?.url.href).toBe(`https://platform.example${prefix}/api/v1/crypto/networks`);
  });
});
