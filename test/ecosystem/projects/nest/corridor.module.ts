import { Module } from '@nestjs/common';
import { Corridor } from 'corridor-sdk';

/** Provides one client for the whole application, configured from the environment and injected by its class. */
@Module({
  providers: [{ provide: Corridor, useFactory: () => new Corridor() }],
  exports: [Corridor],
})
export class CorridorModule {}
