//! What every main shares: configuration, telemetry, health, listeners, shutdown.
