import { Module } from '@nestjs/common';
import { Corridor } from 'corridor-sdk';

/** Gives the client to whatever asks for it by its class: one for the whole application, made from the environment. */
@Module({
  providers: [{ provide: Corridor, useFactory: () => new Corridor() }],
  exports: [Corridor],
})
export class CorridorModule {}
