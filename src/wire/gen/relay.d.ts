// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a Frame.
         * @deprecated Use reedbed.v1.Frame.$Properties instead.
         */
        interface IFrame extends reedbed.v1.Frame.$Properties {
        }

        /** Represents a Frame. */
        class Frame {

            /**
             * Constructs a new Frame.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Frame.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Frame id. */
            id: string;

            /** Frame hello. */
            hello?: (reedbed.v1.Hello.$Properties|null);

            /** Frame authenticate. */
            authenticate?: (reedbed.v1.Authenticate.$Properties|null);

            /** Frame welcome. */
            welcome?: (reedbed.v1.Welcome.$Properties|null);

            /** Frame ping. */
            ping?: (reedbed.v1.Ping.$Properties|null);

            /** Frame pong. */
            pong?: (reedbed.v1.Pong.$Properties|null);

            /** Frame goingAway. */
            goingAway?: (reedbed.v1.GoingAway.$Properties|null);

            /** Frame error. */
            error?: (reedbed.v1.Error.$Properties|null);

            /** Frame syncRequest. */
            syncRequest?: (reedbed.v1.SyncRequest.$Properties|null);

            /** Frame requestReed. */
            requestReed?: (reedbed.v1.RequestReed.$Properties|null);

            /** Frame requestThread. */
            requestThread?: (reedbed.v1.RequestThread.$Properties|null);

            /** Frame cancelRequest. */
            cancelRequest?: (reedbed.v1.CancelRequest.$Properties|null);

            /** Frame requestAck. */
            requestAck?: (reedbed.v1.RequestAck.$Properties|null);

            /** Frame reedNotFound. */
            reedNotFound?: (reedbed.v1.ReedNotFound.$Properties|null);

            /** Frame reedNotHeld. */
            reedNotHeld?: (reedbed.v1.ReedNotHeld.$Properties|null);

            /** Frame relayRequest. */
            relayRequest?: (reedbed.v1.RelayRequest.$Properties|null);

            /** Frame relayThread. */
            relayThread?: (reedbed.v1.RelayThread.$Properties|null);

            /** Frame relayResponse. */
            relayResponse?: (reedbed.v1.RelayResponse.$Properties|null);

            /** Frame relayMiss. */
            relayMiss?: (reedbed.v1.RelayMiss.$Properties|null);

            /** Frame relayError. */
            relayError?: (reedbed.v1.RelayError.$Properties|null);

            /** Frame dataResponse. */
            dataResponse?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame followReed. */
            followReed?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame pipeReed. */
            pipeReed?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame archiveReed. */
            archiveReed?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame reedReply. */
            reedReply?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame mention. */
            mention?: (reedbed.v1.Delivery.$Properties|null);

            /** Frame broadcastReed. */
            broadcastReed?: (reedbed.v1.BroadcastReed.$Properties|null);

            /** Frame dataAck. */
            dataAck?: (reedbed.v1.DataAck.$Properties|null);

            /** Frame dataInvalid. */
            dataInvalid?: (reedbed.v1.DataInvalid.$Properties|null);

            /** Frame settled. */
            settled?: (reedbed.v1.Settled.$Properties|null);

            /** Frame reedRemoved. */
            reedRemoved?: (reedbed.v1.Removal.$Properties|null);

            /** Frame threadRemoved. */
            threadRemoved?: (reedbed.v1.Removal.$Properties|null);

            /** Frame accountRemoved. */
            accountRemoved?: (reedbed.v1.Removal.$Properties|null);

            /** Frame keyRevoked. */
            keyRevoked?: (reedbed.v1.Removal.$Properties|null);

            /** Frame publishReady. */
            publishReady?: (reedbed.v1.PublishReady.$Properties|null);

            /** Frame publishReadyAck. */
            publishReadyAck?: (reedbed.v1.PublishReadyAck.$Properties|null);

            /** Frame profilePage. */
            profilePage?: (reedbed.v1.ProfilePage.$Properties|null);

            /** Frame pageAck. */
            pageAck?: (reedbed.v1.PageAck.$Properties|null);

            /** Frame subscribeProfile. */
            subscribeProfile?: (reedbed.v1.SubscribeProfile.$Properties|null);

            /** Frame unsubscribeProfile. */
            unsubscribeProfile?: (reedbed.v1.UnsubscribeProfile.$Properties|null);

            /** Frame subscribeReed. */
            subscribeReed?: (reedbed.v1.SubscribeReed.$Properties|null);

            /** Frame unsubscribeReed. */
            unsubscribeReed?: (reedbed.v1.UnsubscribeReed.$Properties|null);

            /** Frame subscribePipe. */
            subscribePipe?: (reedbed.v1.SubscribePipe.$Properties|null);

            /** Frame unsubscribePipe. */
            unsubscribePipe?: (reedbed.v1.UnsubscribePipe.$Properties|null);

            /** Frame subscribeBroadcast. */
            subscribeBroadcast?: (reedbed.v1.SubscribeBroadcast.$Properties|null);

            /** Frame unsubscribeBroadcast. */
            unsubscribeBroadcast?: (reedbed.v1.UnsubscribeBroadcast.$Properties|null);

            /** Frame reedStats. */
            reedStats?: (reedbed.v1.ReedStats.$Properties|null);

            /** Frame eviction. */
            eviction?: (reedbed.v1.Eviction.$Properties|null);

            /** Frame evictionAck. */
            evictionAck?: (reedbed.v1.EvictionAck.$Properties|null);

            /** Frame keyEviction. */
            keyEviction?: (reedbed.v1.KeyEviction.$Properties|null);

            /** Frame keyEvictionAck. */
            keyEvictionAck?: (reedbed.v1.KeyEvictionAck.$Properties|null);

            /** Frame userBlocked. */
            userBlocked?: (reedbed.v1.UserBlocked.$Properties|null);

            /** Frame userUnblocked. */
            userUnblocked?: (reedbed.v1.UserUnblocked.$Properties|null);

            /** Frame userBlockedAck. */
            userBlockedAck?: (reedbed.v1.UserBlockedAck.$Properties|null);

            /** Frame userUnblockedAck. */
            userUnblockedAck?: (reedbed.v1.UserUnblockedAck.$Properties|null);

            /** Frame contentRejected. */
            contentRejected?: (reedbed.v1.ContentRejected.$Properties|null);

            /** Frame peerServerLost. */
            peerServerLost?: (reedbed.v1.PeerServerLost.$Properties|null);

            /** Frame body. */
            body?: ("hello"|"authenticate"|"welcome"|"ping"|"pong"|"goingAway"|"error"|"syncRequest"|"requestReed"|"requestThread"|"cancelRequest"|"requestAck"|"reedNotFound"|"reedNotHeld"|"relayRequest"|"relayThread"|"relayResponse"|"relayMiss"|"relayError"|"dataResponse"|"followReed"|"pipeReed"|"archiveReed"|"reedReply"|"mention"|"broadcastReed"|"dataAck"|"dataInvalid"|"settled"|"reedRemoved"|"threadRemoved"|"accountRemoved"|"keyRevoked"|"publishReady"|"publishReadyAck"|"profilePage"|"pageAck"|"subscribeProfile"|"unsubscribeProfile"|"subscribeReed"|"unsubscribeReed"|"subscribePipe"|"unsubscribePipe"|"subscribeBroadcast"|"unsubscribeBroadcast"|"reedStats"|"eviction"|"evictionAck"|"keyEviction"|"keyEvictionAck"|"userBlocked"|"userUnblocked"|"userBlockedAck"|"userUnblockedAck"|"contentRejected"|"peerServerLost");

            /**
             * Creates a new Frame instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Frame instance
             */
            static create(properties: reedbed.v1.Frame.$Shape): reedbed.v1.Frame & reedbed.v1.Frame.$Shape;
            static create(properties?: reedbed.v1.Frame.$Properties): reedbed.v1.Frame;

            /**
             * Encodes the specified Frame message. Does not implicitly {@link reedbed.v1.Frame.verify|verify} messages.
             * @param message Frame message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Frame.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Frame message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Frame & reedbed.v1.Frame.$Shape} Frame
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Frame & reedbed.v1.Frame.$Shape;
        }

        namespace Frame {

            /** Properties of a Frame. */
            interface $Properties {

                /** Frame id */
                id?: (string|null);

                /** Frame hello */
                hello?: (reedbed.v1.Hello.$Properties|null);

                /** Frame authenticate */
                authenticate?: (reedbed.v1.Authenticate.$Properties|null);

                /** Frame welcome */
                welcome?: (reedbed.v1.Welcome.$Properties|null);

                /** Frame ping */
                ping?: (reedbed.v1.Ping.$Properties|null);

                /** Frame pong */
                pong?: (reedbed.v1.Pong.$Properties|null);

                /** Frame goingAway */
                goingAway?: (reedbed.v1.GoingAway.$Properties|null);

                /** Frame error */
                error?: (reedbed.v1.Error.$Properties|null);

                /** Frame syncRequest */
                syncRequest?: (reedbed.v1.SyncRequest.$Properties|null);

                /** Frame requestReed */
                requestReed?: (reedbed.v1.RequestReed.$Properties|null);

                /** Frame requestThread */
                requestThread?: (reedbed.v1.RequestThread.$Properties|null);

                /** Frame cancelRequest */
                cancelRequest?: (reedbed.v1.CancelRequest.$Properties|null);

                /** Frame requestAck */
                requestAck?: (reedbed.v1.RequestAck.$Properties|null);

                /** Frame reedNotFound */
                reedNotFound?: (reedbed.v1.ReedNotFound.$Properties|null);

                /** Frame reedNotHeld */
                reedNotHeld?: (reedbed.v1.ReedNotHeld.$Properties|null);

                /** Frame relayRequest */
                relayRequest?: (reedbed.v1.RelayRequest.$Properties|null);

                /** Frame relayThread */
                relayThread?: (reedbed.v1.RelayThread.$Properties|null);

                /** Frame relayResponse */
                relayResponse?: (reedbed.v1.RelayResponse.$Properties|null);

                /** Frame relayMiss */
                relayMiss?: (reedbed.v1.RelayMiss.$Properties|null);

                /** Frame relayError */
                relayError?: (reedbed.v1.RelayError.$Properties|null);

                /** Frame dataResponse */
                dataResponse?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame followReed */
                followReed?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame pipeReed */
                pipeReed?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame archiveReed */
                archiveReed?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame reedReply */
                reedReply?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame mention */
                mention?: (reedbed.v1.Delivery.$Properties|null);

                /** Frame broadcastReed */
                broadcastReed?: (reedbed.v1.BroadcastReed.$Properties|null);

                /** Frame dataAck */
                dataAck?: (reedbed.v1.DataAck.$Properties|null);

                /** Frame dataInvalid */
                dataInvalid?: (reedbed.v1.DataInvalid.$Properties|null);

                /** Frame settled */
                settled?: (reedbed.v1.Settled.$Properties|null);

                /** Frame reedRemoved */
                reedRemoved?: (reedbed.v1.Removal.$Properties|null);

                /** Frame threadRemoved */
                threadRemoved?: (reedbed.v1.Removal.$Properties|null);

                /** Frame accountRemoved */
                accountRemoved?: (reedbed.v1.Removal.$Properties|null);

                /** Frame keyRevoked */
                keyRevoked?: (reedbed.v1.Removal.$Properties|null);

                /** Frame publishReady */
                publishReady?: (reedbed.v1.PublishReady.$Properties|null);

                /** Frame publishReadyAck */
                publishReadyAck?: (reedbed.v1.PublishReadyAck.$Properties|null);

                /** Frame profilePage */
                profilePage?: (reedbed.v1.ProfilePage.$Properties|null);

                /** Frame pageAck */
                pageAck?: (reedbed.v1.PageAck.$Properties|null);

                /** Frame subscribeProfile */
                subscribeProfile?: (reedbed.v1.SubscribeProfile.$Properties|null);

                /** Frame unsubscribeProfile */
                unsubscribeProfile?: (reedbed.v1.UnsubscribeProfile.$Properties|null);

                /** Frame subscribeReed */
                subscribeReed?: (reedbed.v1.SubscribeReed.$Properties|null);

                /** Frame unsubscribeReed */
                unsubscribeReed?: (reedbed.v1.UnsubscribeReed.$Properties|null);

                /** Frame subscribePipe */
                subscribePipe?: (reedbed.v1.SubscribePipe.$Properties|null);

                /** Frame unsubscribePipe */
                unsubscribePipe?: (reedbed.v1.UnsubscribePipe.$Properties|null);

                /** Frame subscribeBroadcast */
                subscribeBroadcast?: (reedbed.v1.SubscribeBroadcast.$Properties|null);

                /** Frame unsubscribeBroadcast */
                unsubscribeBroadcast?: (reedbed.v1.UnsubscribeBroadcast.$Properties|null);

                /** Frame reedStats */
                reedStats?: (reedbed.v1.ReedStats.$Properties|null);

                /** Frame eviction */
                eviction?: (reedbed.v1.Eviction.$Properties|null);

                /** Frame evictionAck */
                evictionAck?: (reedbed.v1.EvictionAck.$Properties|null);

                /** Frame keyEviction */
                keyEviction?: (reedbed.v1.KeyEviction.$Properties|null);

                /** Frame keyEvictionAck */
                keyEvictionAck?: (reedbed.v1.KeyEvictionAck.$Properties|null);

                /** Frame userBlocked */
                userBlocked?: (reedbed.v1.UserBlocked.$Properties|null);

                /** Frame userUnblocked */
                userUnblocked?: (reedbed.v1.UserUnblocked.$Properties|null);

                /** Frame userBlockedAck */
                userBlockedAck?: (reedbed.v1.UserBlockedAck.$Properties|null);

                /** Frame userUnblockedAck */
                userUnblockedAck?: (reedbed.v1.UserUnblockedAck.$Properties|null);

                /** Frame contentRejected */
                contentRejected?: (reedbed.v1.ContentRejected.$Properties|null);

                /** Frame peerServerLost */
                peerServerLost?: (reedbed.v1.PeerServerLost.$Properties|null);

                /** Frame body */
                body?: ("hello"|"authenticate"|"welcome"|"ping"|"pong"|"goingAway"|"error"|"syncRequest"|"requestReed"|"requestThread"|"cancelRequest"|"requestAck"|"reedNotFound"|"reedNotHeld"|"relayRequest"|"relayThread"|"relayResponse"|"relayMiss"|"relayError"|"dataResponse"|"followReed"|"pipeReed"|"archiveReed"|"reedReply"|"mention"|"broadcastReed"|"dataAck"|"dataInvalid"|"settled"|"reedRemoved"|"threadRemoved"|"accountRemoved"|"keyRevoked"|"publishReady"|"publishReadyAck"|"profilePage"|"pageAck"|"subscribeProfile"|"unsubscribeProfile"|"subscribeReed"|"unsubscribeReed"|"subscribePipe"|"unsubscribePipe"|"subscribeBroadcast"|"unsubscribeBroadcast"|"reedStats"|"eviction"|"evictionAck"|"keyEviction"|"keyEvictionAck"|"userBlocked"|"userUnblocked"|"userBlockedAck"|"userUnblockedAck"|"contentRejected"|"peerServerLost");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a Frame. */
            type $Shape = {
              id?: string|null;
              hello?: reedbed.v1.Hello.$Shape|null;
              authenticate?: reedbed.v1.Authenticate.$Shape|null;
              welcome?: reedbed.v1.Welcome.$Shape|null;
              ping?: reedbed.v1.Ping.$Shape|null;
              pong?: reedbed.v1.Pong.$Shape|null;
              goingAway?: reedbed.v1.GoingAway.$Shape|null;
              error?: reedbed.v1.Error.$Shape|null;
              syncRequest?: reedbed.v1.SyncRequest.$Shape|null;
              requestReed?: reedbed.v1.RequestReed.$Shape|null;
              requestThread?: reedbed.v1.RequestThread.$Shape|null;
              cancelRequest?: reedbed.v1.CancelRequest.$Shape|null;
              requestAck?: reedbed.v1.RequestAck.$Shape|null;
              reedNotFound?: reedbed.v1.ReedNotFound.$Shape|null;
              reedNotHeld?: reedbed.v1.ReedNotHeld.$Shape|null;
              relayRequest?: reedbed.v1.RelayRequest.$Shape|null;
              relayThread?: reedbed.v1.RelayThread.$Shape|null;
              relayResponse?: reedbed.v1.RelayResponse.$Shape|null;
              relayMiss?: reedbed.v1.RelayMiss.$Shape|null;
              relayError?: reedbed.v1.RelayError.$Shape|null;
              dataResponse?: reedbed.v1.Delivery.$Shape|null;
              followReed?: reedbed.v1.Delivery.$Shape|null;
              pipeReed?: reedbed.v1.Delivery.$Shape|null;
              archiveReed?: reedbed.v1.Delivery.$Shape|null;
              reedReply?: reedbed.v1.Delivery.$Shape|null;
              mention?: reedbed.v1.Delivery.$Shape|null;
              broadcastReed?: reedbed.v1.BroadcastReed.$Shape|null;
              dataAck?: reedbed.v1.DataAck.$Shape|null;
              dataInvalid?: reedbed.v1.DataInvalid.$Shape|null;
              settled?: reedbed.v1.Settled.$Shape|null;
              reedRemoved?: reedbed.v1.Removal.$Shape|null;
              threadRemoved?: reedbed.v1.Removal.$Shape|null;
              accountRemoved?: reedbed.v1.Removal.$Shape|null;
              keyRevoked?: reedbed.v1.Removal.$Shape|null;
              publishReady?: reedbed.v1.PublishReady.$Shape|null;
              publishReadyAck?: reedbed.v1.PublishReadyAck.$Shape|null;
              profilePage?: reedbed.v1.ProfilePage.$Shape|null;
              pageAck?: reedbed.v1.PageAck.$Shape|null;
              subscribeProfile?: reedbed.v1.SubscribeProfile.$Shape|null;
              unsubscribeProfile?: reedbed.v1.UnsubscribeProfile.$Shape|null;
              subscribeReed?: reedbed.v1.SubscribeReed.$Shape|null;
              unsubscribeReed?: reedbed.v1.UnsubscribeReed.$Shape|null;
              subscribePipe?: reedbed.v1.SubscribePipe.$Shape|null;
              unsubscribePipe?: reedbed.v1.UnsubscribePipe.$Shape|null;
              subscribeBroadcast?: reedbed.v1.SubscribeBroadcast.$Shape|null;
              unsubscribeBroadcast?: reedbed.v1.UnsubscribeBroadcast.$Shape|null;
              reedStats?: reedbed.v1.ReedStats.$Shape|null;
              eviction?: reedbed.v1.Eviction.$Shape|null;
              evictionAck?: reedbed.v1.EvictionAck.$Shape|null;
              keyEviction?: reedbed.v1.KeyEviction.$Shape|null;
              keyEvictionAck?: reedbed.v1.KeyEvictionAck.$Shape|null;
              userBlocked?: reedbed.v1.UserBlocked.$Shape|null;
              userUnblocked?: reedbed.v1.UserUnblocked.$Shape|null;
              userBlockedAck?: reedbed.v1.UserBlockedAck.$Shape|null;
              userUnblockedAck?: reedbed.v1.UserUnblockedAck.$Shape|null;
              contentRejected?: reedbed.v1.ContentRejected.$Shape|null;
              peerServerLost?: reedbed.v1.PeerServerLost.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ body?: undefined; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "hello"; hello: reedbed.v1.Hello.$Shape; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "authenticate"; hello?: null; authenticate: reedbed.v1.Authenticate.$Shape; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "welcome"; hello?: null; authenticate?: null; welcome: reedbed.v1.Welcome.$Shape; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "ping"; hello?: null; authenticate?: null; welcome?: null; ping: reedbed.v1.Ping.$Shape; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "pong"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong: reedbed.v1.Pong.$Shape; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "goingAway"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway: reedbed.v1.GoingAway.$Shape; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "error"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error: reedbed.v1.Error.$Shape; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "syncRequest"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest: reedbed.v1.SyncRequest.$Shape; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "requestReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed: reedbed.v1.RequestReed.$Shape; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "requestThread"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread: reedbed.v1.RequestThread.$Shape; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "cancelRequest"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest: reedbed.v1.CancelRequest.$Shape; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "requestAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck: reedbed.v1.RequestAck.$Shape; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "reedNotFound"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound: reedbed.v1.ReedNotFound.$Shape; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "reedNotHeld"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld: reedbed.v1.ReedNotHeld.$Shape; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "relayRequest"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest: reedbed.v1.RelayRequest.$Shape; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "relayThread"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread: reedbed.v1.RelayThread.$Shape; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "relayResponse"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse: reedbed.v1.RelayResponse.$Shape; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "relayMiss"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss: reedbed.v1.RelayMiss.$Shape; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "relayError"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError: reedbed.v1.RelayError.$Shape; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "dataResponse"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse: reedbed.v1.Delivery.$Shape; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "followReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed: reedbed.v1.Delivery.$Shape; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "pipeReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed: reedbed.v1.Delivery.$Shape; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "archiveReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed: reedbed.v1.Delivery.$Shape; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "reedReply"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply: reedbed.v1.Delivery.$Shape; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "mention"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention: reedbed.v1.Delivery.$Shape; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "broadcastReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed: reedbed.v1.BroadcastReed.$Shape; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "dataAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck: reedbed.v1.DataAck.$Shape; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "dataInvalid"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid: reedbed.v1.DataInvalid.$Shape; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "settled"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled: reedbed.v1.Settled.$Shape; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "reedRemoved"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved: reedbed.v1.Removal.$Shape; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "threadRemoved"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved: reedbed.v1.Removal.$Shape; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "accountRemoved"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved: reedbed.v1.Removal.$Shape; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "keyRevoked"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked: reedbed.v1.Removal.$Shape; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "publishReady"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady: reedbed.v1.PublishReady.$Shape; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "publishReadyAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck: reedbed.v1.PublishReadyAck.$Shape; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "profilePage"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage: reedbed.v1.ProfilePage.$Shape; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "pageAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck: reedbed.v1.PageAck.$Shape; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "subscribeProfile"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile: reedbed.v1.SubscribeProfile.$Shape; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "unsubscribeProfile"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile: reedbed.v1.UnsubscribeProfile.$Shape; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "subscribeReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed: reedbed.v1.SubscribeReed.$Shape; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "unsubscribeReed"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed: reedbed.v1.UnsubscribeReed.$Shape; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "subscribePipe"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe: reedbed.v1.SubscribePipe.$Shape; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "unsubscribePipe"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe: reedbed.v1.UnsubscribePipe.$Shape; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "subscribeBroadcast"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast: reedbed.v1.SubscribeBroadcast.$Shape; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "unsubscribeBroadcast"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast: reedbed.v1.UnsubscribeBroadcast.$Shape; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "reedStats"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats: reedbed.v1.ReedStats.$Shape; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "eviction"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction: reedbed.v1.Eviction.$Shape; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "evictionAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck: reedbed.v1.EvictionAck.$Shape; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "keyEviction"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction: reedbed.v1.KeyEviction.$Shape; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "keyEvictionAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck: reedbed.v1.KeyEvictionAck.$Shape; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "userBlocked"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked: reedbed.v1.UserBlocked.$Shape; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "userUnblocked"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked: reedbed.v1.UserUnblocked.$Shape; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "userBlockedAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck: reedbed.v1.UserBlockedAck.$Shape; userUnblockedAck?: null; contentRejected?: null; peerServerLost?: null }|{ body?: "userUnblockedAck"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck: reedbed.v1.UserUnblockedAck.$Shape; contentRejected?: null; peerServerLost?: null }|{ body?: "contentRejected"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected: reedbed.v1.ContentRejected.$Shape; peerServerLost?: null }|{ body?: "peerServerLost"; hello?: null; authenticate?: null; welcome?: null; ping?: null; pong?: null; goingAway?: null; error?: null; syncRequest?: null; requestReed?: null; requestThread?: null; cancelRequest?: null; requestAck?: null; reedNotFound?: null; reedNotHeld?: null; relayRequest?: null; relayThread?: null; relayResponse?: null; relayMiss?: null; relayError?: null; dataResponse?: null; followReed?: null; pipeReed?: null; archiveReed?: null; reedReply?: null; mention?: null; broadcastReed?: null; dataAck?: null; dataInvalid?: null; settled?: null; reedRemoved?: null; threadRemoved?: null; accountRemoved?: null; keyRevoked?: null; publishReady?: null; publishReadyAck?: null; profilePage?: null; pageAck?: null; subscribeProfile?: null; unsubscribeProfile?: null; subscribeReed?: null; unsubscribeReed?: null; subscribePipe?: null; unsubscribePipe?: null; subscribeBroadcast?: null; unsubscribeBroadcast?: null; reedStats?: null; eviction?: null; evictionAck?: null; keyEviction?: null; keyEvictionAck?: null; userBlocked?: null; userUnblocked?: null; userBlockedAck?: null; userUnblockedAck?: null; contentRejected?: null; peerServerLost: reedbed.v1.PeerServerLost.$Shape })
            );
        }

        /**
         * Properties of a Hello.
         * @deprecated Use reedbed.v1.Hello.$Properties instead.
         */
        interface IHello extends reedbed.v1.Hello.$Properties {
        }

        /** Represents a Hello. */
        class Hello {

            /**
             * Constructs a new Hello.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Hello.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Hello serverId. */
            serverId: string;

            /** Hello nonce. */
            nonce: string;

            /** Hello serverTime. */
            serverTime: number;

            /** Hello protocolMin. */
            protocolMin: number;

            /** Hello protocolMax. */
            protocolMax: number;

            /**
             * Creates a new Hello instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Hello instance
             */
            static create(properties: reedbed.v1.Hello.$Shape): reedbed.v1.Hello & reedbed.v1.Hello.$Shape;
            static create(properties?: reedbed.v1.Hello.$Properties): reedbed.v1.Hello;

            /**
             * Encodes the specified Hello message. Does not implicitly {@link reedbed.v1.Hello.verify|verify} messages.
             * @param message Hello message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Hello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Hello message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Hello & reedbed.v1.Hello.$Shape} Hello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Hello & reedbed.v1.Hello.$Shape;
        }

        namespace Hello {

            /** Properties of a Hello. */
            interface $Properties {

                /** Hello serverId */
                serverId?: (string|null);

                /** Hello nonce */
                nonce?: (string|null);

                /** Hello serverTime */
                serverTime?: (number|null);

                /** Hello protocolMin */
                protocolMin?: (number|null);

                /** Hello protocolMax */
                protocolMax?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Hello. */
            type $Shape = reedbed.v1.Hello.$Properties;
        }

        /**
         * Properties of an Authenticate.
         * @deprecated Use reedbed.v1.Authenticate.$Properties instead.
         */
        interface IAuthenticate extends reedbed.v1.Authenticate.$Properties {
        }

        /** Represents an Authenticate. */
        class Authenticate {

            /**
             * Constructs a new Authenticate.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Authenticate.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Authenticate statement. */
            statement: Uint8Array;

            /** Authenticate signature. */
            signature: string;

            /** Authenticate clientNonce. */
            clientNonce: string;

            /** Authenticate token. */
            token: string;

            /**
             * Creates a new Authenticate instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Authenticate instance
             */
            static create(properties: reedbed.v1.Authenticate.$Shape): reedbed.v1.Authenticate & reedbed.v1.Authenticate.$Shape;
            static create(properties?: reedbed.v1.Authenticate.$Properties): reedbed.v1.Authenticate;

            /**
             * Encodes the specified Authenticate message. Does not implicitly {@link reedbed.v1.Authenticate.verify|verify} messages.
             * @param message Authenticate message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Authenticate.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Authenticate message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Authenticate & reedbed.v1.Authenticate.$Shape} Authenticate
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Authenticate & reedbed.v1.Authenticate.$Shape;
        }

        namespace Authenticate {

            /** Properties of an Authenticate. */
            interface $Properties {

                /** Authenticate statement */
                statement?: (Uint8Array|null);

                /** Authenticate signature */
                signature?: (string|null);

                /** Authenticate clientNonce */
                clientNonce?: (string|null);

                /** Authenticate token */
                token?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Authenticate. */
            type $Shape = reedbed.v1.Authenticate.$Properties;
        }

        /**
         * Properties of a Welcome.
         * @deprecated Use reedbed.v1.Welcome.$Properties instead.
         */
        interface IWelcome extends reedbed.v1.Welcome.$Properties {
        }

        /** Represents a Welcome. */
        class Welcome {

            /**
             * Constructs a new Welcome.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Welcome.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Welcome sessionId. */
            sessionId: string;

            /** Welcome token. */
            token: string;

            /** Welcome limits. */
            limits?: (reedbed.v1.SessionLimits.$Properties|null);

            /** Welcome pingIntervalMs. */
            pingIntervalMs: number;

            /** Welcome resumed. */
            resumed: boolean;

            /** Welcome kid. */
            kid: string;

            /** Welcome signature. */
            signature: string;

            /**
             * Creates a new Welcome instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Welcome instance
             */
            static create(properties: reedbed.v1.Welcome.$Shape): reedbed.v1.Welcome & reedbed.v1.Welcome.$Shape;
            static create(properties?: reedbed.v1.Welcome.$Properties): reedbed.v1.Welcome;

            /**
             * Encodes the specified Welcome message. Does not implicitly {@link reedbed.v1.Welcome.verify|verify} messages.
             * @param message Welcome message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Welcome.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Welcome message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Welcome & reedbed.v1.Welcome.$Shape} Welcome
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Welcome & reedbed.v1.Welcome.$Shape;
        }

        namespace Welcome {

            /** Properties of a Welcome. */
            interface $Properties {

                /** Welcome sessionId */
                sessionId?: (string|null);

                /** Welcome token */
                token?: (string|null);

                /** Welcome limits */
                limits?: (reedbed.v1.SessionLimits.$Properties|null);

                /** Welcome pingIntervalMs */
                pingIntervalMs?: (number|null);

                /** Welcome resumed */
                resumed?: (boolean|null);

                /** Welcome kid */
                kid?: (string|null);

                /** Welcome signature */
                signature?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Welcome. */
            type $Shape = reedbed.v1.Welcome.$Properties;
        }

        /**
         * Properties of a SessionLimits.
         * @deprecated Use reedbed.v1.SessionLimits.$Properties instead.
         */
        interface ISessionLimits extends reedbed.v1.SessionLimits.$Properties {
        }

        /** Represents a SessionLimits. */
        class SessionLimits {

            /**
             * Constructs a new SessionLimits.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SessionLimits.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionLimits frameBytes. */
            frameBytes: number;

            /** SessionLimits relayResponseBytes. */
            relayResponseBytes: number;

            /** SessionLimits openRequests. */
            openRequests: number;

            /** SessionLimits subscriptions. */
            subscriptions: number;

            /** SessionLimits holderWindow. */
            holderWindow: number;

            /**
             * Creates a new SessionLimits instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionLimits instance
             */
            static create(properties: reedbed.v1.SessionLimits.$Shape): reedbed.v1.SessionLimits & reedbed.v1.SessionLimits.$Shape;
            static create(properties?: reedbed.v1.SessionLimits.$Properties): reedbed.v1.SessionLimits;

            /**
             * Encodes the specified SessionLimits message. Does not implicitly {@link reedbed.v1.SessionLimits.verify|verify} messages.
             * @param message SessionLimits message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SessionLimits.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionLimits message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SessionLimits & reedbed.v1.SessionLimits.$Shape} SessionLimits
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SessionLimits & reedbed.v1.SessionLimits.$Shape;
        }

        namespace SessionLimits {

            /** Properties of a SessionLimits. */
            interface $Properties {

                /** SessionLimits frameBytes */
                frameBytes?: (number|null);

                /** SessionLimits relayResponseBytes */
                relayResponseBytes?: (number|null);

                /** SessionLimits openRequests */
                openRequests?: (number|null);

                /** SessionLimits subscriptions */
                subscriptions?: (number|null);

                /** SessionLimits holderWindow */
                holderWindow?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SessionLimits. */
            type $Shape = reedbed.v1.SessionLimits.$Properties;
        }

        /**
         * Properties of a Ping.
         * @deprecated Use reedbed.v1.Ping.$Properties instead.
         */
        interface IPing extends reedbed.v1.Ping.$Properties {
        }

        /** Represents a Ping. */
        class Ping {

            /**
             * Constructs a new Ping.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Ping.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new Ping instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Ping instance
             */
            static create(properties: reedbed.v1.Ping.$Shape): reedbed.v1.Ping & reedbed.v1.Ping.$Shape;
            static create(properties?: reedbed.v1.Ping.$Properties): reedbed.v1.Ping;

            /**
             * Encodes the specified Ping message. Does not implicitly {@link reedbed.v1.Ping.verify|verify} messages.
             * @param message Ping message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Ping.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Ping message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Ping & reedbed.v1.Ping.$Shape} Ping
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Ping & reedbed.v1.Ping.$Shape;
        }

        namespace Ping {

            /** Properties of a Ping. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Ping. */
            type $Shape = reedbed.v1.Ping.$Properties;
        }

        /**
         * Properties of a Pong.
         * @deprecated Use reedbed.v1.Pong.$Properties instead.
         */
        interface IPong extends reedbed.v1.Pong.$Properties {
        }

        /** Represents a Pong. */
        class Pong {

            /**
             * Constructs a new Pong.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Pong.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new Pong instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Pong instance
             */
            static create(properties: reedbed.v1.Pong.$Shape): reedbed.v1.Pong & reedbed.v1.Pong.$Shape;
            static create(properties?: reedbed.v1.Pong.$Properties): reedbed.v1.Pong;

            /**
             * Encodes the specified Pong message. Does not implicitly {@link reedbed.v1.Pong.verify|verify} messages.
             * @param message Pong message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Pong.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Pong message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Pong & reedbed.v1.Pong.$Shape} Pong
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Pong & reedbed.v1.Pong.$Shape;
        }

        namespace Pong {

            /** Properties of a Pong. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Pong. */
            type $Shape = reedbed.v1.Pong.$Properties;
        }

        /**
         * Properties of a GoingAway.
         * @deprecated Use reedbed.v1.GoingAway.$Properties instead.
         */
        interface IGoingAway extends reedbed.v1.GoingAway.$Properties {
        }

        /** Represents a GoingAway. */
        class GoingAway {

            /**
             * Constructs a new GoingAway.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.GoingAway.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GoingAway retryAfterMs. */
            retryAfterMs: number;

            /**
             * Creates a new GoingAway instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GoingAway instance
             */
            static create(properties: reedbed.v1.GoingAway.$Shape): reedbed.v1.GoingAway & reedbed.v1.GoingAway.$Shape;
            static create(properties?: reedbed.v1.GoingAway.$Properties): reedbed.v1.GoingAway;

            /**
             * Encodes the specified GoingAway message. Does not implicitly {@link reedbed.v1.GoingAway.verify|verify} messages.
             * @param message GoingAway message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.GoingAway.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GoingAway message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.GoingAway & reedbed.v1.GoingAway.$Shape} GoingAway
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.GoingAway & reedbed.v1.GoingAway.$Shape;
        }

        namespace GoingAway {

            /** Properties of a GoingAway. */
            interface $Properties {

                /** GoingAway retryAfterMs */
                retryAfterMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GoingAway. */
            type $Shape = reedbed.v1.GoingAway.$Properties;
        }

        /**
         * Properties of an Error.
         * @deprecated Use reedbed.v1.Error.$Properties instead.
         */
        interface IError extends reedbed.v1.Error.$Properties {
        }

        /** Represents an Error. */
        class Error {

            /**
             * Constructs a new Error.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Error.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Error code. */
            code: reedbed.v1.ErrorCode;

            /** Error detail. */
            detail: string;

            /** Error requestId. */
            requestId: string;

            /** Error retryAfterMs. */
            retryAfterMs: number;

            /**
             * Creates a new Error instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Error instance
             */
            static create(properties: reedbed.v1.Error.$Shape): reedbed.v1.Error & reedbed.v1.Error.$Shape;
            static create(properties?: reedbed.v1.Error.$Properties): reedbed.v1.Error;

            /**
             * Encodes the specified Error message. Does not implicitly {@link reedbed.v1.Error.verify|verify} messages.
             * @param message Error message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Error.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Error message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Error & reedbed.v1.Error.$Shape} Error
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Error & reedbed.v1.Error.$Shape;
        }

        namespace Error {

            /** Properties of an Error. */
            interface $Properties {

                /** Error code */
                code?: (reedbed.v1.ErrorCode|null);

                /** Error detail */
                detail?: (string|null);

                /** Error requestId */
                requestId?: (string|null);

                /** Error retryAfterMs */
                retryAfterMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Error. */
            type $Shape = reedbed.v1.Error.$Properties;
        }

        /**
         * Properties of a SyncRequest.
         * @deprecated Use reedbed.v1.SyncRequest.$Properties instead.
         */
        interface ISyncRequest extends reedbed.v1.SyncRequest.$Properties {
        }

        /** Represents a SyncRequest. */
        class SyncRequest {

            /**
             * Constructs a new SyncRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SyncRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SyncRequest requestId. */
            requestId: string;

            /**
             * Creates a new SyncRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SyncRequest instance
             */
            static create(properties: reedbed.v1.SyncRequest.$Shape): reedbed.v1.SyncRequest & reedbed.v1.SyncRequest.$Shape;
            static create(properties?: reedbed.v1.SyncRequest.$Properties): reedbed.v1.SyncRequest;

            /**
             * Encodes the specified SyncRequest message. Does not implicitly {@link reedbed.v1.SyncRequest.verify|verify} messages.
             * @param message SyncRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SyncRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SyncRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SyncRequest & reedbed.v1.SyncRequest.$Shape} SyncRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SyncRequest & reedbed.v1.SyncRequest.$Shape;
        }

        namespace SyncRequest {

            /** Properties of a SyncRequest. */
            interface $Properties {

                /** SyncRequest requestId */
                requestId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SyncRequest. */
            type $Shape = reedbed.v1.SyncRequest.$Properties;
        }

        /**
         * Properties of a RequestReed.
         * @deprecated Use reedbed.v1.RequestReed.$Properties instead.
         */
        interface IRequestReed extends reedbed.v1.RequestReed.$Properties {
        }

        /** Represents a RequestReed. */
        class RequestReed {

            /**
             * Constructs a new RequestReed.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RequestReed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestReed requestId. */
            requestId: string;

            /** RequestReed reedId. */
            reedId: string;

            /** RequestReed authorId. */
            authorId: string;

            /**
             * Creates a new RequestReed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestReed instance
             */
            static create(properties: reedbed.v1.RequestReed.$Shape): reedbed.v1.RequestReed & reedbed.v1.RequestReed.$Shape;
            static create(properties?: reedbed.v1.RequestReed.$Properties): reedbed.v1.RequestReed;

            /**
             * Encodes the specified RequestReed message. Does not implicitly {@link reedbed.v1.RequestReed.verify|verify} messages.
             * @param message RequestReed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RequestReed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestReed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RequestReed & reedbed.v1.RequestReed.$Shape} RequestReed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RequestReed & reedbed.v1.RequestReed.$Shape;
        }

        namespace RequestReed {

            /** Properties of a RequestReed. */
            interface $Properties {

                /** RequestReed requestId */
                requestId?: (string|null);

                /** RequestReed reedId */
                reedId?: (string|null);

                /** RequestReed authorId */
                authorId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestReed. */
            type $Shape = reedbed.v1.RequestReed.$Properties;
        }

        /**
         * Properties of a RequestThread.
         * @deprecated Use reedbed.v1.RequestThread.$Properties instead.
         */
        interface IRequestThread extends reedbed.v1.RequestThread.$Properties {
        }

        /** Represents a RequestThread. */
        class RequestThread {

            /**
             * Constructs a new RequestThread.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RequestThread.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestThread requestId. */
            requestId: string;

            /** RequestThread threadId. */
            threadId: string;

            /**
             * Creates a new RequestThread instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestThread instance
             */
            static create(properties: reedbed.v1.RequestThread.$Shape): reedbed.v1.RequestThread & reedbed.v1.RequestThread.$Shape;
            static create(properties?: reedbed.v1.RequestThread.$Properties): reedbed.v1.RequestThread;

            /**
             * Encodes the specified RequestThread message. Does not implicitly {@link reedbed.v1.RequestThread.verify|verify} messages.
             * @param message RequestThread message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RequestThread.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestThread message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RequestThread & reedbed.v1.RequestThread.$Shape} RequestThread
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RequestThread & reedbed.v1.RequestThread.$Shape;
        }

        namespace RequestThread {

            /** Properties of a RequestThread. */
            interface $Properties {

                /** RequestThread requestId */
                requestId?: (string|null);

                /** RequestThread threadId */
                threadId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestThread. */
            type $Shape = reedbed.v1.RequestThread.$Properties;
        }

        /**
         * Properties of a CancelRequest.
         * @deprecated Use reedbed.v1.CancelRequest.$Properties instead.
         */
        interface ICancelRequest extends reedbed.v1.CancelRequest.$Properties {
        }

        /** Represents a CancelRequest. */
        class CancelRequest {

            /**
             * Constructs a new CancelRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.CancelRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CancelRequest requestId. */
            requestId: string;

            /**
             * Creates a new CancelRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CancelRequest instance
             */
            static create(properties: reedbed.v1.CancelRequest.$Shape): reedbed.v1.CancelRequest & reedbed.v1.CancelRequest.$Shape;
            static create(properties?: reedbed.v1.CancelRequest.$Properties): reedbed.v1.CancelRequest;

            /**
             * Encodes the specified CancelRequest message. Does not implicitly {@link reedbed.v1.CancelRequest.verify|verify} messages.
             * @param message CancelRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.CancelRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CancelRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.CancelRequest & reedbed.v1.CancelRequest.$Shape} CancelRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.CancelRequest & reedbed.v1.CancelRequest.$Shape;
        }

        namespace CancelRequest {

            /** Properties of a CancelRequest. */
            interface $Properties {

                /** CancelRequest requestId */
                requestId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CancelRequest. */
            type $Shape = reedbed.v1.CancelRequest.$Properties;
        }

        /** RequestState enum. */
        enum RequestState {

            /** REQUEST_STATE_UNSPECIFIED value */
            REQUEST_STATE_UNSPECIFIED = 0,

            /** ASKING value */
            ASKING = 1,

            /** IN_TURN value */
            IN_TURN = 2,

            /** NOBODY_ONLINE value */
            NOBODY_ONLINE = 3,

            /** HOLDERS_FAILING value */
            HOLDERS_FAILING = 4,

            /** PEER_AWAY value */
            PEER_AWAY = 5
        }

        /**
         * Properties of a RequestAck.
         * @deprecated Use reedbed.v1.RequestAck.$Properties instead.
         */
        interface IRequestAck extends reedbed.v1.RequestAck.$Properties {
        }

        /** Represents a RequestAck. */
        class RequestAck {

            /**
             * Constructs a new RequestAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RequestAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestAck requestId. */
            requestId: string;

            /** RequestAck reedId. */
            reedId: string;

            /** RequestAck state. */
            state: reedbed.v1.RequestState;

            /** RequestAck onlineHolders. */
            onlineHolders: number;

            /**
             * Creates a new RequestAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestAck instance
             */
            static create(properties: reedbed.v1.RequestAck.$Shape): reedbed.v1.RequestAck & reedbed.v1.RequestAck.$Shape;
            static create(properties?: reedbed.v1.RequestAck.$Properties): reedbed.v1.RequestAck;

            /**
             * Encodes the specified RequestAck message. Does not implicitly {@link reedbed.v1.RequestAck.verify|verify} messages.
             * @param message RequestAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RequestAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RequestAck & reedbed.v1.RequestAck.$Shape} RequestAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RequestAck & reedbed.v1.RequestAck.$Shape;
        }

        namespace RequestAck {

            /** Properties of a RequestAck. */
            interface $Properties {

                /** RequestAck requestId */
                requestId?: (string|null);

                /** RequestAck reedId */
                reedId?: (string|null);

                /** RequestAck state */
                state?: (reedbed.v1.RequestState|null);

                /** RequestAck onlineHolders */
                onlineHolders?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestAck. */
            type $Shape = reedbed.v1.RequestAck.$Properties;
        }

        /**
         * Properties of a ReedNotFound.
         * @deprecated Use reedbed.v1.ReedNotFound.$Properties instead.
         */
        interface IReedNotFound extends reedbed.v1.ReedNotFound.$Properties {
        }

        /** Represents a ReedNotFound. */
        class ReedNotFound {

            /**
             * Constructs a new ReedNotFound.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ReedNotFound.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReedNotFound requestId. */
            requestId: string;

            /** ReedNotFound reedId. */
            reedId: string;

            /**
             * Creates a new ReedNotFound instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReedNotFound instance
             */
            static create(properties: reedbed.v1.ReedNotFound.$Shape): reedbed.v1.ReedNotFound & reedbed.v1.ReedNotFound.$Shape;
            static create(properties?: reedbed.v1.ReedNotFound.$Properties): reedbed.v1.ReedNotFound;

            /**
             * Encodes the specified ReedNotFound message. Does not implicitly {@link reedbed.v1.ReedNotFound.verify|verify} messages.
             * @param message ReedNotFound message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ReedNotFound.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReedNotFound message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ReedNotFound & reedbed.v1.ReedNotFound.$Shape} ReedNotFound
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ReedNotFound & reedbed.v1.ReedNotFound.$Shape;
        }

        namespace ReedNotFound {

            /** Properties of a ReedNotFound. */
            interface $Properties {

                /** ReedNotFound requestId */
                requestId?: (string|null);

                /** ReedNotFound reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReedNotFound. */
            type $Shape = reedbed.v1.ReedNotFound.$Properties;
        }

        /**
         * Properties of a ReedNotHeld.
         * @deprecated Use reedbed.v1.ReedNotHeld.$Properties instead.
         */
        interface IReedNotHeld extends reedbed.v1.ReedNotHeld.$Properties {
        }

        /** Represents a ReedNotHeld. */
        class ReedNotHeld {

            /**
             * Constructs a new ReedNotHeld.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ReedNotHeld.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReedNotHeld requestId. */
            requestId: string;

            /** ReedNotHeld reedId. */
            reedId: string;

            /**
             * Creates a new ReedNotHeld instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReedNotHeld instance
             */
            static create(properties: reedbed.v1.ReedNotHeld.$Shape): reedbed.v1.ReedNotHeld & reedbed.v1.ReedNotHeld.$Shape;
            static create(properties?: reedbed.v1.ReedNotHeld.$Properties): reedbed.v1.ReedNotHeld;

            /**
             * Encodes the specified ReedNotHeld message. Does not implicitly {@link reedbed.v1.ReedNotHeld.verify|verify} messages.
             * @param message ReedNotHeld message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ReedNotHeld.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReedNotHeld message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ReedNotHeld & reedbed.v1.ReedNotHeld.$Shape} ReedNotHeld
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ReedNotHeld & reedbed.v1.ReedNotHeld.$Shape;
        }

        namespace ReedNotHeld {

            /** Properties of a ReedNotHeld. */
            interface $Properties {

                /** ReedNotHeld requestId */
                requestId?: (string|null);

                /** ReedNotHeld reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReedNotHeld. */
            type $Shape = reedbed.v1.ReedNotHeld.$Properties;
        }

        /**
         * Properties of a RelayRequest.
         * @deprecated Use reedbed.v1.RelayRequest.$Properties instead.
         */
        interface IRelayRequest extends reedbed.v1.RelayRequest.$Properties {
        }

        /** Represents a RelayRequest. */
        class RelayRequest {

            /**
             * Constructs a new RelayRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RelayRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RelayRequest reedId. */
            reedId: string;

            /** RelayRequest requesterId. */
            requesterId: string;

            /** RelayRequest requesterKeyId. */
            requesterKeyId: string;

            /** RelayRequest attempt. */
            attempt: number;

            /** RelayRequest deadlineMs. */
            deadlineMs: number;

            /**
             * Creates a new RelayRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RelayRequest instance
             */
            static create(properties: reedbed.v1.RelayRequest.$Shape): reedbed.v1.RelayRequest & reedbed.v1.RelayRequest.$Shape;
            static create(properties?: reedbed.v1.RelayRequest.$Properties): reedbed.v1.RelayRequest;

            /**
             * Encodes the specified RelayRequest message. Does not implicitly {@link reedbed.v1.RelayRequest.verify|verify} messages.
             * @param message RelayRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RelayRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RelayRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RelayRequest & reedbed.v1.RelayRequest.$Shape} RelayRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RelayRequest & reedbed.v1.RelayRequest.$Shape;
        }

        namespace RelayRequest {

            /** Properties of a RelayRequest. */
            interface $Properties {

                /** RelayRequest reedId */
                reedId?: (string|null);

                /** RelayRequest requesterId */
                requesterId?: (string|null);

                /** RelayRequest requesterKeyId */
                requesterKeyId?: (string|null);

                /** RelayRequest attempt */
                attempt?: (number|null);

                /** RelayRequest deadlineMs */
                deadlineMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RelayRequest. */
            type $Shape = reedbed.v1.RelayRequest.$Properties;
        }

        /**
         * Properties of a RelayThread.
         * @deprecated Use reedbed.v1.RelayThread.$Properties instead.
         */
        interface IRelayThread extends reedbed.v1.RelayThread.$Properties {
        }

        /** Represents a RelayThread. */
        class RelayThread {

            /**
             * Constructs a new RelayThread.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RelayThread.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RelayThread threadId. */
            threadId: string;

            /** RelayThread requesterId. */
            requesterId: string;

            /** RelayThread requesterKeyId. */
            requesterKeyId: string;

            /** RelayThread attempt. */
            attempt: number;

            /** RelayThread deadlineMs. */
            deadlineMs: number;

            /**
             * Creates a new RelayThread instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RelayThread instance
             */
            static create(properties: reedbed.v1.RelayThread.$Shape): reedbed.v1.RelayThread & reedbed.v1.RelayThread.$Shape;
            static create(properties?: reedbed.v1.RelayThread.$Properties): reedbed.v1.RelayThread;

            /**
             * Encodes the specified RelayThread message. Does not implicitly {@link reedbed.v1.RelayThread.verify|verify} messages.
             * @param message RelayThread message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RelayThread.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RelayThread message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RelayThread & reedbed.v1.RelayThread.$Shape} RelayThread
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RelayThread & reedbed.v1.RelayThread.$Shape;
        }

        namespace RelayThread {

            /** Properties of a RelayThread. */
            interface $Properties {

                /** RelayThread threadId */
                threadId?: (string|null);

                /** RelayThread requesterId */
                requesterId?: (string|null);

                /** RelayThread requesterKeyId */
                requesterKeyId?: (string|null);

                /** RelayThread attempt */
                attempt?: (number|null);

                /** RelayThread deadlineMs */
                deadlineMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RelayThread. */
            type $Shape = reedbed.v1.RelayThread.$Properties;
        }

        /**
         * Properties of a RelayResponse.
         * @deprecated Use reedbed.v1.RelayResponse.$Properties instead.
         */
        interface IRelayResponse extends reedbed.v1.RelayResponse.$Properties {
        }

        /** Represents a RelayResponse. */
        class RelayResponse {

            /**
             * Constructs a new RelayResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RelayResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RelayResponse ciphertext. */
            ciphertext: Uint8Array;

            /** RelayResponse attempt. */
            attempt: number;

            /**
             * Creates a new RelayResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RelayResponse instance
             */
            static create(properties: reedbed.v1.RelayResponse.$Shape): reedbed.v1.RelayResponse & reedbed.v1.RelayResponse.$Shape;
            static create(properties?: reedbed.v1.RelayResponse.$Properties): reedbed.v1.RelayResponse;

            /**
             * Encodes the specified RelayResponse message. Does not implicitly {@link reedbed.v1.RelayResponse.verify|verify} messages.
             * @param message RelayResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RelayResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RelayResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RelayResponse & reedbed.v1.RelayResponse.$Shape} RelayResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RelayResponse & reedbed.v1.RelayResponse.$Shape;
        }

        namespace RelayResponse {

            /** Properties of a RelayResponse. */
            interface $Properties {

                /** RelayResponse ciphertext */
                ciphertext?: (Uint8Array|null);

                /** RelayResponse attempt */
                attempt?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RelayResponse. */
            type $Shape = reedbed.v1.RelayResponse.$Properties;
        }

        /**
         * Properties of a RelayMiss.
         * @deprecated Use reedbed.v1.RelayMiss.$Properties instead.
         */
        interface IRelayMiss extends reedbed.v1.RelayMiss.$Properties {
        }

        /** Represents a RelayMiss. */
        class RelayMiss {

            /**
             * Constructs a new RelayMiss.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RelayMiss.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RelayMiss attempt. */
            attempt: number;

            /** RelayMiss missingReedId. */
            missingReedId: string;

            /**
             * Creates a new RelayMiss instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RelayMiss instance
             */
            static create(properties: reedbed.v1.RelayMiss.$Shape): reedbed.v1.RelayMiss & reedbed.v1.RelayMiss.$Shape;
            static create(properties?: reedbed.v1.RelayMiss.$Properties): reedbed.v1.RelayMiss;

            /**
             * Encodes the specified RelayMiss message. Does not implicitly {@link reedbed.v1.RelayMiss.verify|verify} messages.
             * @param message RelayMiss message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RelayMiss.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RelayMiss message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RelayMiss & reedbed.v1.RelayMiss.$Shape} RelayMiss
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RelayMiss & reedbed.v1.RelayMiss.$Shape;
        }

        namespace RelayMiss {

            /** Properties of a RelayMiss. */
            interface $Properties {

                /** RelayMiss attempt */
                attempt?: (number|null);

                /** RelayMiss missingReedId */
                missingReedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RelayMiss. */
            type $Shape = reedbed.v1.RelayMiss.$Properties;
        }

        /** RelayErrorReason enum. */
        enum RelayErrorReason {

            /** RELAY_ERROR_REASON_UNSPECIFIED value */
            RELAY_ERROR_REASON_UNSPECIFIED = 0,

            /** BUSY value */
            BUSY = 1,

            /** STORE_UNAVAILABLE value */
            STORE_UNAVAILABLE = 2,

            /** REQUESTER_KEY_UNVERIFIED value */
            REQUESTER_KEY_UNVERIFIED = 3,

            /** FAILED value */
            FAILED = 4
        }

        /**
         * Properties of a RelayError.
         * @deprecated Use reedbed.v1.RelayError.$Properties instead.
         */
        interface IRelayError extends reedbed.v1.RelayError.$Properties {
        }

        /** Represents a RelayError. */
        class RelayError {

            /**
             * Constructs a new RelayError.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.RelayError.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RelayError attempt. */
            attempt: number;

            /** RelayError reason. */
            reason: reedbed.v1.RelayErrorReason;

            /**
             * Creates a new RelayError instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RelayError instance
             */
            static create(properties: reedbed.v1.RelayError.$Shape): reedbed.v1.RelayError & reedbed.v1.RelayError.$Shape;
            static create(properties?: reedbed.v1.RelayError.$Properties): reedbed.v1.RelayError;

            /**
             * Encodes the specified RelayError message. Does not implicitly {@link reedbed.v1.RelayError.verify|verify} messages.
             * @param message RelayError message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.RelayError.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RelayError message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.RelayError & reedbed.v1.RelayError.$Shape} RelayError
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.RelayError & reedbed.v1.RelayError.$Shape;
        }

        namespace RelayError {

            /** Properties of a RelayError. */
            interface $Properties {

                /** RelayError attempt */
                attempt?: (number|null);

                /** RelayError reason */
                reason?: (reedbed.v1.RelayErrorReason|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RelayError. */
            type $Shape = reedbed.v1.RelayError.$Properties;
        }

        /**
         * Properties of a Delivery.
         * @deprecated Use reedbed.v1.Delivery.$Properties instead.
         */
        interface IDelivery extends reedbed.v1.Delivery.$Properties {
        }

        /** Represents a Delivery. */
        class Delivery {

            /**
             * Constructs a new Delivery.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Delivery.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Delivery requestId. */
            requestId: string;

            /** Delivery reedId. */
            reedId: string;

            /** Delivery ciphertext. */
            ciphertext: Uint8Array;

            /**
             * Creates a new Delivery instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Delivery instance
             */
            static create(properties: reedbed.v1.Delivery.$Shape): reedbed.v1.Delivery & reedbed.v1.Delivery.$Shape;
            static create(properties?: reedbed.v1.Delivery.$Properties): reedbed.v1.Delivery;

            /**
             * Encodes the specified Delivery message. Does not implicitly {@link reedbed.v1.Delivery.verify|verify} messages.
             * @param message Delivery message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Delivery.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Delivery message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Delivery & reedbed.v1.Delivery.$Shape} Delivery
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Delivery & reedbed.v1.Delivery.$Shape;
        }

        namespace Delivery {

            /** Properties of a Delivery. */
            interface $Properties {

                /** Delivery requestId */
                requestId?: (string|null);

                /** Delivery reedId */
                reedId?: (string|null);

                /** Delivery ciphertext */
                ciphertext?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Delivery. */
            type $Shape = reedbed.v1.Delivery.$Properties;
        }

        /**
         * Properties of a BroadcastReed.
         * @deprecated Use reedbed.v1.BroadcastReed.$Properties instead.
         */
        interface IBroadcastReed extends reedbed.v1.BroadcastReed.$Properties {
        }

        /** Represents a BroadcastReed. */
        class BroadcastReed {

            /**
             * Constructs a new BroadcastReed.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.BroadcastReed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BroadcastReed reedId. */
            reedId: string;

            /** BroadcastReed ciphertext. */
            ciphertext: Uint8Array;

            /** BroadcastReed username. */
            username: string;

            /** BroadcastReed skipped. */
            skipped: number;

            /**
             * Creates a new BroadcastReed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BroadcastReed instance
             */
            static create(properties: reedbed.v1.BroadcastReed.$Shape): reedbed.v1.BroadcastReed & reedbed.v1.BroadcastReed.$Shape;
            static create(properties?: reedbed.v1.BroadcastReed.$Properties): reedbed.v1.BroadcastReed;

            /**
             * Encodes the specified BroadcastReed message. Does not implicitly {@link reedbed.v1.BroadcastReed.verify|verify} messages.
             * @param message BroadcastReed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.BroadcastReed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BroadcastReed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.BroadcastReed & reedbed.v1.BroadcastReed.$Shape} BroadcastReed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.BroadcastReed & reedbed.v1.BroadcastReed.$Shape;
        }

        namespace BroadcastReed {

            /** Properties of a BroadcastReed. */
            interface $Properties {

                /** BroadcastReed reedId */
                reedId?: (string|null);

                /** BroadcastReed ciphertext */
                ciphertext?: (Uint8Array|null);

                /** BroadcastReed username */
                username?: (string|null);

                /** BroadcastReed skipped */
                skipped?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BroadcastReed. */
            type $Shape = reedbed.v1.BroadcastReed.$Properties;
        }

        /**
         * Properties of a DataAck.
         * @deprecated Use reedbed.v1.DataAck.$Properties instead.
         */
        interface IDataAck extends reedbed.v1.DataAck.$Properties {
        }

        /** Represents a DataAck. */
        class DataAck {

            /**
             * Constructs a new DataAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.DataAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new DataAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DataAck instance
             */
            static create(properties: reedbed.v1.DataAck.$Shape): reedbed.v1.DataAck & reedbed.v1.DataAck.$Shape;
            static create(properties?: reedbed.v1.DataAck.$Properties): reedbed.v1.DataAck;

            /**
             * Encodes the specified DataAck message. Does not implicitly {@link reedbed.v1.DataAck.verify|verify} messages.
             * @param message DataAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.DataAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DataAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.DataAck & reedbed.v1.DataAck.$Shape} DataAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.DataAck & reedbed.v1.DataAck.$Shape;
        }

        namespace DataAck {

            /** Properties of a DataAck. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DataAck. */
            type $Shape = reedbed.v1.DataAck.$Properties;
        }

        /** InvalidReason enum. */
        enum InvalidReason {

            /** INVALID_REASON_UNSPECIFIED value */
            INVALID_REASON_UNSPECIFIED = 0,

            /** BAD_SIGNATURE value */
            BAD_SIGNATURE = 1,

            /** BAD_CERTIFICATE value */
            BAD_CERTIFICATE = 2,

            /** OTHER_REED value */
            OTHER_REED = 3,

            /** UNDECRYPTABLE value */
            UNDECRYPTABLE = 4,

            /** CLAIM_MISMATCH value */
            CLAIM_MISMATCH = 5,

            /** UNSOLICITED value */
            UNSOLICITED = 6,

            /** CANNOT_STORE value */
            CANNOT_STORE = 7
        }

        /**
         * Properties of a DataInvalid.
         * @deprecated Use reedbed.v1.DataInvalid.$Properties instead.
         */
        interface IDataInvalid extends reedbed.v1.DataInvalid.$Properties {
        }

        /** Represents a DataInvalid. */
        class DataInvalid {

            /**
             * Constructs a new DataInvalid.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.DataInvalid.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DataInvalid reason. */
            reason: reedbed.v1.InvalidReason;

            /**
             * Creates a new DataInvalid instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DataInvalid instance
             */
            static create(properties: reedbed.v1.DataInvalid.$Shape): reedbed.v1.DataInvalid & reedbed.v1.DataInvalid.$Shape;
            static create(properties?: reedbed.v1.DataInvalid.$Properties): reedbed.v1.DataInvalid;

            /**
             * Encodes the specified DataInvalid message. Does not implicitly {@link reedbed.v1.DataInvalid.verify|verify} messages.
             * @param message DataInvalid message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.DataInvalid.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DataInvalid message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.DataInvalid & reedbed.v1.DataInvalid.$Shape} DataInvalid
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.DataInvalid & reedbed.v1.DataInvalid.$Shape;
        }

        namespace DataInvalid {

            /** Properties of a DataInvalid. */
            interface $Properties {

                /** DataInvalid reason */
                reason?: (reedbed.v1.InvalidReason|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DataInvalid. */
            type $Shape = reedbed.v1.DataInvalid.$Properties;
        }

        /** SettledOutcome enum. */
        enum SettledOutcome {

            /** SETTLED_OUTCOME_UNSPECIFIED value */
            SETTLED_OUTCOME_UNSPECIFIED = 0,

            /** HELD value */
            HELD = 1,

            /** GONE value */
            GONE = 2
        }

        /**
         * Properties of a SettledEvent.
         * @deprecated Use reedbed.v1.SettledEvent.$Properties instead.
         */
        interface ISettledEvent extends reedbed.v1.SettledEvent.$Properties {
        }

        /** Represents a SettledEvent. */
        class SettledEvent {

            /**
             * Constructs a new SettledEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SettledEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SettledEvent eventId. */
            eventId: string;

            /** SettledEvent outcome. */
            outcome: reedbed.v1.SettledOutcome;

            /**
             * Creates a new SettledEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SettledEvent instance
             */
            static create(properties: reedbed.v1.SettledEvent.$Shape): reedbed.v1.SettledEvent & reedbed.v1.SettledEvent.$Shape;
            static create(properties?: reedbed.v1.SettledEvent.$Properties): reedbed.v1.SettledEvent;

            /**
             * Encodes the specified SettledEvent message. Does not implicitly {@link reedbed.v1.SettledEvent.verify|verify} messages.
             * @param message SettledEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SettledEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SettledEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SettledEvent & reedbed.v1.SettledEvent.$Shape} SettledEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SettledEvent & reedbed.v1.SettledEvent.$Shape;
        }

        namespace SettledEvent {

            /** Properties of a SettledEvent. */
            interface $Properties {

                /** SettledEvent eventId */
                eventId?: (string|null);

                /** SettledEvent outcome */
                outcome?: (reedbed.v1.SettledOutcome|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SettledEvent. */
            type $Shape = reedbed.v1.SettledEvent.$Properties;
        }

        /**
         * Properties of a Settled.
         * @deprecated Use reedbed.v1.Settled.$Properties instead.
         */
        interface ISettled extends reedbed.v1.Settled.$Properties {
        }

        /** Represents a Settled. */
        class Settled {

            /**
             * Constructs a new Settled.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Settled.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Settled events. */
            events: reedbed.v1.SettledEvent.$Properties[];

            /**
             * Creates a new Settled instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Settled instance
             */
            static create(properties: reedbed.v1.Settled.$Shape): reedbed.v1.Settled & reedbed.v1.Settled.$Shape;
            static create(properties?: reedbed.v1.Settled.$Properties): reedbed.v1.Settled;

            /**
             * Encodes the specified Settled message. Does not implicitly {@link reedbed.v1.Settled.verify|verify} messages.
             * @param message Settled message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Settled.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Settled message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Settled & reedbed.v1.Settled.$Shape} Settled
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Settled & reedbed.v1.Settled.$Shape;
        }

        namespace Settled {

            /** Properties of a Settled. */
            interface $Properties {

                /** Settled events */
                events?: (reedbed.v1.SettledEvent.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Settled. */
            type $Shape = reedbed.v1.Settled.$Properties;
        }

        /**
         * Properties of a Removal.
         * @deprecated Use reedbed.v1.Removal.$Properties instead.
         */
        interface IRemoval extends reedbed.v1.Removal.$Properties {
        }

        /** Represents a Removal. */
        class Removal {

            /**
             * Constructs a new Removal.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Removal.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Removal requestId. */
            requestId: string;

            /** Removal certificate. */
            certificate: Uint8Array;

            /**
             * Creates a new Removal instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Removal instance
             */
            static create(properties: reedbed.v1.Removal.$Shape): reedbed.v1.Removal & reedbed.v1.Removal.$Shape;
            static create(properties?: reedbed.v1.Removal.$Properties): reedbed.v1.Removal;

            /**
             * Encodes the specified Removal message. Does not implicitly {@link reedbed.v1.Removal.verify|verify} messages.
             * @param message Removal message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Removal.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Removal message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Removal & reedbed.v1.Removal.$Shape} Removal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Removal & reedbed.v1.Removal.$Shape;
        }

        namespace Removal {

            /** Properties of a Removal. */
            interface $Properties {

                /** Removal requestId */
                requestId?: (string|null);

                /** Removal certificate */
                certificate?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Removal. */
            type $Shape = reedbed.v1.Removal.$Properties;
        }

        /**
         * Properties of a PublishReady.
         * @deprecated Use reedbed.v1.PublishReady.$Properties instead.
         */
        interface IPublishReady extends reedbed.v1.PublishReady.$Properties {
        }

        /** Represents a PublishReady. */
        class PublishReady {

            /**
             * Constructs a new PublishReady.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PublishReady.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PublishReady reedId. */
            reedId: string;

            /** PublishReady broadcast. */
            broadcast?: (boolean|null);

            /**
             * Creates a new PublishReady instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PublishReady instance
             */
            static create(properties: reedbed.v1.PublishReady.$Shape): reedbed.v1.PublishReady & reedbed.v1.PublishReady.$Shape;
            static create(properties?: reedbed.v1.PublishReady.$Properties): reedbed.v1.PublishReady;

            /**
             * Encodes the specified PublishReady message. Does not implicitly {@link reedbed.v1.PublishReady.verify|verify} messages.
             * @param message PublishReady message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PublishReady.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PublishReady message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PublishReady & reedbed.v1.PublishReady.$Shape} PublishReady
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PublishReady & reedbed.v1.PublishReady.$Shape;
        }

        namespace PublishReady {

            /** Properties of a PublishReady. */
            interface $Properties {

                /** PublishReady reedId */
                reedId?: (string|null);

                /** PublishReady broadcast */
                broadcast?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PublishReady. */
            type $Shape = reedbed.v1.PublishReady.$Properties;
        }

        /**
         * Properties of a PublishReadyAck.
         * @deprecated Use reedbed.v1.PublishReadyAck.$Properties instead.
         */
        interface IPublishReadyAck extends reedbed.v1.PublishReadyAck.$Properties {
        }

        /** Represents a PublishReadyAck. */
        class PublishReadyAck {

            /**
             * Constructs a new PublishReadyAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PublishReadyAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PublishReadyAck reedId. */
            reedId: string;

            /**
             * Creates a new PublishReadyAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PublishReadyAck instance
             */
            static create(properties: reedbed.v1.PublishReadyAck.$Shape): reedbed.v1.PublishReadyAck & reedbed.v1.PublishReadyAck.$Shape;
            static create(properties?: reedbed.v1.PublishReadyAck.$Properties): reedbed.v1.PublishReadyAck;

            /**
             * Encodes the specified PublishReadyAck message. Does not implicitly {@link reedbed.v1.PublishReadyAck.verify|verify} messages.
             * @param message PublishReadyAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PublishReadyAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PublishReadyAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PublishReadyAck & reedbed.v1.PublishReadyAck.$Shape} PublishReadyAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PublishReadyAck & reedbed.v1.PublishReadyAck.$Shape;
        }

        namespace PublishReadyAck {

            /** Properties of a PublishReadyAck. */
            interface $Properties {

                /** PublishReadyAck reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PublishReadyAck. */
            type $Shape = reedbed.v1.PublishReadyAck.$Properties;
        }

        /**
         * Properties of a ProfilePage.
         * @deprecated Use reedbed.v1.ProfilePage.$Properties instead.
         */
        interface IProfilePage extends reedbed.v1.ProfilePage.$Properties {
        }

        /** Represents a ProfilePage. */
        class ProfilePage {

            /**
             * Constructs a new ProfilePage.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ProfilePage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProfilePage userId. */
            userId: string;

            /** ProfilePage page. */
            page: number;

            /**
             * Creates a new ProfilePage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProfilePage instance
             */
            static create(properties: reedbed.v1.ProfilePage.$Shape): reedbed.v1.ProfilePage & reedbed.v1.ProfilePage.$Shape;
            static create(properties?: reedbed.v1.ProfilePage.$Properties): reedbed.v1.ProfilePage;

            /**
             * Encodes the specified ProfilePage message. Does not implicitly {@link reedbed.v1.ProfilePage.verify|verify} messages.
             * @param message ProfilePage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ProfilePage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProfilePage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ProfilePage & reedbed.v1.ProfilePage.$Shape} ProfilePage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ProfilePage & reedbed.v1.ProfilePage.$Shape;
        }

        namespace ProfilePage {

            /** Properties of a ProfilePage. */
            interface $Properties {

                /** ProfilePage userId */
                userId?: (string|null);

                /** ProfilePage page */
                page?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProfilePage. */
            type $Shape = reedbed.v1.ProfilePage.$Properties;
        }

        /**
         * Properties of a PageAck.
         * @deprecated Use reedbed.v1.PageAck.$Properties instead.
         */
        interface IPageAck extends reedbed.v1.PageAck.$Properties {
        }

        /** Represents a PageAck. */
        class PageAck {

            /**
             * Constructs a new PageAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PageAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PageAck userId. */
            userId: string;

            /** PageAck page. */
            page: number;

            /** PageAck count. */
            count: number;

            /** PageAck hasMore. */
            hasMore: boolean;

            /** PageAck partial. */
            partial?: (boolean|null);

            /**
             * Creates a new PageAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PageAck instance
             */
            static create(properties: reedbed.v1.PageAck.$Shape): reedbed.v1.PageAck & reedbed.v1.PageAck.$Shape;
            static create(properties?: reedbed.v1.PageAck.$Properties): reedbed.v1.PageAck;

            /**
             * Encodes the specified PageAck message. Does not implicitly {@link reedbed.v1.PageAck.verify|verify} messages.
             * @param message PageAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PageAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PageAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PageAck & reedbed.v1.PageAck.$Shape} PageAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PageAck & reedbed.v1.PageAck.$Shape;
        }

        namespace PageAck {

            /** Properties of a PageAck. */
            interface $Properties {

                /** PageAck userId */
                userId?: (string|null);

                /** PageAck page */
                page?: (number|null);

                /** PageAck count */
                count?: (number|null);

                /** PageAck hasMore */
                hasMore?: (boolean|null);

                /** PageAck partial */
                partial?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PageAck. */
            type $Shape = reedbed.v1.PageAck.$Properties;
        }

        /**
         * Properties of a SubscribeProfile.
         * @deprecated Use reedbed.v1.SubscribeProfile.$Properties instead.
         */
        interface ISubscribeProfile extends reedbed.v1.SubscribeProfile.$Properties {
        }

        /** Represents a SubscribeProfile. */
        class SubscribeProfile {

            /**
             * Constructs a new SubscribeProfile.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SubscribeProfile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribeProfile userId. */
            userId: string;

            /**
             * Creates a new SubscribeProfile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeProfile instance
             */
            static create(properties: reedbed.v1.SubscribeProfile.$Shape): reedbed.v1.SubscribeProfile & reedbed.v1.SubscribeProfile.$Shape;
            static create(properties?: reedbed.v1.SubscribeProfile.$Properties): reedbed.v1.SubscribeProfile;

            /**
             * Encodes the specified SubscribeProfile message. Does not implicitly {@link reedbed.v1.SubscribeProfile.verify|verify} messages.
             * @param message SubscribeProfile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SubscribeProfile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeProfile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SubscribeProfile & reedbed.v1.SubscribeProfile.$Shape} SubscribeProfile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SubscribeProfile & reedbed.v1.SubscribeProfile.$Shape;
        }

        namespace SubscribeProfile {

            /** Properties of a SubscribeProfile. */
            interface $Properties {

                /** SubscribeProfile userId */
                userId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeProfile. */
            type $Shape = reedbed.v1.SubscribeProfile.$Properties;
        }

        /**
         * Properties of an UnsubscribeProfile.
         * @deprecated Use reedbed.v1.UnsubscribeProfile.$Properties instead.
         */
        interface IUnsubscribeProfile extends reedbed.v1.UnsubscribeProfile.$Properties {
        }

        /** Represents an UnsubscribeProfile. */
        class UnsubscribeProfile {

            /**
             * Constructs a new UnsubscribeProfile.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UnsubscribeProfile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UnsubscribeProfile userId. */
            userId: string;

            /**
             * Creates a new UnsubscribeProfile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UnsubscribeProfile instance
             */
            static create(properties: reedbed.v1.UnsubscribeProfile.$Shape): reedbed.v1.UnsubscribeProfile & reedbed.v1.UnsubscribeProfile.$Shape;
            static create(properties?: reedbed.v1.UnsubscribeProfile.$Properties): reedbed.v1.UnsubscribeProfile;

            /**
             * Encodes the specified UnsubscribeProfile message. Does not implicitly {@link reedbed.v1.UnsubscribeProfile.verify|verify} messages.
             * @param message UnsubscribeProfile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UnsubscribeProfile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an UnsubscribeProfile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UnsubscribeProfile & reedbed.v1.UnsubscribeProfile.$Shape} UnsubscribeProfile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UnsubscribeProfile & reedbed.v1.UnsubscribeProfile.$Shape;
        }

        namespace UnsubscribeProfile {

            /** Properties of an UnsubscribeProfile. */
            interface $Properties {

                /** UnsubscribeProfile userId */
                userId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an UnsubscribeProfile. */
            type $Shape = reedbed.v1.UnsubscribeProfile.$Properties;
        }

        /**
         * Properties of a SubscribeReed.
         * @deprecated Use reedbed.v1.SubscribeReed.$Properties instead.
         */
        interface ISubscribeReed extends reedbed.v1.SubscribeReed.$Properties {
        }

        /** Represents a SubscribeReed. */
        class SubscribeReed {

            /**
             * Constructs a new SubscribeReed.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SubscribeReed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribeReed reedId. */
            reedId: string;

            /**
             * Creates a new SubscribeReed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeReed instance
             */
            static create(properties: reedbed.v1.SubscribeReed.$Shape): reedbed.v1.SubscribeReed & reedbed.v1.SubscribeReed.$Shape;
            static create(properties?: reedbed.v1.SubscribeReed.$Properties): reedbed.v1.SubscribeReed;

            /**
             * Encodes the specified SubscribeReed message. Does not implicitly {@link reedbed.v1.SubscribeReed.verify|verify} messages.
             * @param message SubscribeReed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SubscribeReed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeReed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SubscribeReed & reedbed.v1.SubscribeReed.$Shape} SubscribeReed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SubscribeReed & reedbed.v1.SubscribeReed.$Shape;
        }

        namespace SubscribeReed {

            /** Properties of a SubscribeReed. */
            interface $Properties {

                /** SubscribeReed reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeReed. */
            type $Shape = reedbed.v1.SubscribeReed.$Properties;
        }

        /**
         * Properties of an UnsubscribeReed.
         * @deprecated Use reedbed.v1.UnsubscribeReed.$Properties instead.
         */
        interface IUnsubscribeReed extends reedbed.v1.UnsubscribeReed.$Properties {
        }

        /** Represents an UnsubscribeReed. */
        class UnsubscribeReed {

            /**
             * Constructs a new UnsubscribeReed.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UnsubscribeReed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UnsubscribeReed reedId. */
            reedId: string;

            /**
             * Creates a new UnsubscribeReed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UnsubscribeReed instance
             */
            static create(properties: reedbed.v1.UnsubscribeReed.$Shape): reedbed.v1.UnsubscribeReed & reedbed.v1.UnsubscribeReed.$Shape;
            static create(properties?: reedbed.v1.UnsubscribeReed.$Properties): reedbed.v1.UnsubscribeReed;

            /**
             * Encodes the specified UnsubscribeReed message. Does not implicitly {@link reedbed.v1.UnsubscribeReed.verify|verify} messages.
             * @param message UnsubscribeReed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UnsubscribeReed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an UnsubscribeReed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UnsubscribeReed & reedbed.v1.UnsubscribeReed.$Shape} UnsubscribeReed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UnsubscribeReed & reedbed.v1.UnsubscribeReed.$Shape;
        }

        namespace UnsubscribeReed {

            /** Properties of an UnsubscribeReed. */
            interface $Properties {

                /** UnsubscribeReed reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an UnsubscribeReed. */
            type $Shape = reedbed.v1.UnsubscribeReed.$Properties;
        }

        /**
         * Properties of a SubscribePipe.
         * @deprecated Use reedbed.v1.SubscribePipe.$Properties instead.
         */
        interface ISubscribePipe extends reedbed.v1.SubscribePipe.$Properties {
        }

        /** Represents a SubscribePipe. */
        class SubscribePipe {

            /**
             * Constructs a new SubscribePipe.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SubscribePipe.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubscribePipe tag. */
            tag: string;

            /**
             * Creates a new SubscribePipe instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribePipe instance
             */
            static create(properties: reedbed.v1.SubscribePipe.$Shape): reedbed.v1.SubscribePipe & reedbed.v1.SubscribePipe.$Shape;
            static create(properties?: reedbed.v1.SubscribePipe.$Properties): reedbed.v1.SubscribePipe;

            /**
             * Encodes the specified SubscribePipe message. Does not implicitly {@link reedbed.v1.SubscribePipe.verify|verify} messages.
             * @param message SubscribePipe message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SubscribePipe.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribePipe message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SubscribePipe & reedbed.v1.SubscribePipe.$Shape} SubscribePipe
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SubscribePipe & reedbed.v1.SubscribePipe.$Shape;
        }

        namespace SubscribePipe {

            /** Properties of a SubscribePipe. */
            interface $Properties {

                /** SubscribePipe tag */
                tag?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribePipe. */
            type $Shape = reedbed.v1.SubscribePipe.$Properties;
        }

        /**
         * Properties of an UnsubscribePipe.
         * @deprecated Use reedbed.v1.UnsubscribePipe.$Properties instead.
         */
        interface IUnsubscribePipe extends reedbed.v1.UnsubscribePipe.$Properties {
        }

        /** Represents an UnsubscribePipe. */
        class UnsubscribePipe {

            /**
             * Constructs a new UnsubscribePipe.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UnsubscribePipe.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UnsubscribePipe tag. */
            tag: string;

            /**
             * Creates a new UnsubscribePipe instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UnsubscribePipe instance
             */
            static create(properties: reedbed.v1.UnsubscribePipe.$Shape): reedbed.v1.UnsubscribePipe & reedbed.v1.UnsubscribePipe.$Shape;
            static create(properties?: reedbed.v1.UnsubscribePipe.$Properties): reedbed.v1.UnsubscribePipe;

            /**
             * Encodes the specified UnsubscribePipe message. Does not implicitly {@link reedbed.v1.UnsubscribePipe.verify|verify} messages.
             * @param message UnsubscribePipe message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UnsubscribePipe.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an UnsubscribePipe message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UnsubscribePipe & reedbed.v1.UnsubscribePipe.$Shape} UnsubscribePipe
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UnsubscribePipe & reedbed.v1.UnsubscribePipe.$Shape;
        }

        namespace UnsubscribePipe {

            /** Properties of an UnsubscribePipe. */
            interface $Properties {

                /** UnsubscribePipe tag */
                tag?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an UnsubscribePipe. */
            type $Shape = reedbed.v1.UnsubscribePipe.$Properties;
        }

        /**
         * Properties of a SubscribeBroadcast.
         * @deprecated Use reedbed.v1.SubscribeBroadcast.$Properties instead.
         */
        interface ISubscribeBroadcast extends reedbed.v1.SubscribeBroadcast.$Properties {
        }

        /** Represents a SubscribeBroadcast. */
        class SubscribeBroadcast {

            /**
             * Constructs a new SubscribeBroadcast.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SubscribeBroadcast.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new SubscribeBroadcast instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubscribeBroadcast instance
             */
            static create(properties: reedbed.v1.SubscribeBroadcast.$Shape): reedbed.v1.SubscribeBroadcast & reedbed.v1.SubscribeBroadcast.$Shape;
            static create(properties?: reedbed.v1.SubscribeBroadcast.$Properties): reedbed.v1.SubscribeBroadcast;

            /**
             * Encodes the specified SubscribeBroadcast message. Does not implicitly {@link reedbed.v1.SubscribeBroadcast.verify|verify} messages.
             * @param message SubscribeBroadcast message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SubscribeBroadcast.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubscribeBroadcast message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SubscribeBroadcast & reedbed.v1.SubscribeBroadcast.$Shape} SubscribeBroadcast
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SubscribeBroadcast & reedbed.v1.SubscribeBroadcast.$Shape;
        }

        namespace SubscribeBroadcast {

            /** Properties of a SubscribeBroadcast. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SubscribeBroadcast. */
            type $Shape = reedbed.v1.SubscribeBroadcast.$Properties;
        }

        /**
         * Properties of an UnsubscribeBroadcast.
         * @deprecated Use reedbed.v1.UnsubscribeBroadcast.$Properties instead.
         */
        interface IUnsubscribeBroadcast extends reedbed.v1.UnsubscribeBroadcast.$Properties {
        }

        /** Represents an UnsubscribeBroadcast. */
        class UnsubscribeBroadcast {

            /**
             * Constructs a new UnsubscribeBroadcast.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UnsubscribeBroadcast.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new UnsubscribeBroadcast instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UnsubscribeBroadcast instance
             */
            static create(properties: reedbed.v1.UnsubscribeBroadcast.$Shape): reedbed.v1.UnsubscribeBroadcast & reedbed.v1.UnsubscribeBroadcast.$Shape;
            static create(properties?: reedbed.v1.UnsubscribeBroadcast.$Properties): reedbed.v1.UnsubscribeBroadcast;

            /**
             * Encodes the specified UnsubscribeBroadcast message. Does not implicitly {@link reedbed.v1.UnsubscribeBroadcast.verify|verify} messages.
             * @param message UnsubscribeBroadcast message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UnsubscribeBroadcast.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an UnsubscribeBroadcast message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UnsubscribeBroadcast & reedbed.v1.UnsubscribeBroadcast.$Shape} UnsubscribeBroadcast
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UnsubscribeBroadcast & reedbed.v1.UnsubscribeBroadcast.$Shape;
        }

        namespace UnsubscribeBroadcast {

            /** Properties of an UnsubscribeBroadcast. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an UnsubscribeBroadcast. */
            type $Shape = reedbed.v1.UnsubscribeBroadcast.$Properties;
        }

        /**
         * Properties of a ReedStats.
         * @deprecated Use reedbed.v1.ReedStats.$Properties instead.
         */
        interface IReedStats extends reedbed.v1.ReedStats.$Properties {
        }

        /** Represents a ReedStats. */
        class ReedStats {

            /**
             * Constructs a new ReedStats.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ReedStats.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReedStats reedId. */
            reedId: string;

            /** ReedStats echoes. */
            echoes: number;

            /** ReedStats replies. */
            replies: number;

            /** ReedStats likes. */
            likes: number;

            /** ReedStats coveragePercent. */
            coveragePercent: number;

            /** ReedStats holderServers. */
            holderServers: number;

            /**
             * Creates a new ReedStats instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReedStats instance
             */
            static create(properties: reedbed.v1.ReedStats.$Shape): reedbed.v1.ReedStats & reedbed.v1.ReedStats.$Shape;
            static create(properties?: reedbed.v1.ReedStats.$Properties): reedbed.v1.ReedStats;

            /**
             * Encodes the specified ReedStats message. Does not implicitly {@link reedbed.v1.ReedStats.verify|verify} messages.
             * @param message ReedStats message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ReedStats.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReedStats message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ReedStats & reedbed.v1.ReedStats.$Shape} ReedStats
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ReedStats & reedbed.v1.ReedStats.$Shape;
        }

        namespace ReedStats {

            /** Properties of a ReedStats. */
            interface $Properties {

                /** ReedStats reedId */
                reedId?: (string|null);

                /** ReedStats echoes */
                echoes?: (number|null);

                /** ReedStats replies */
                replies?: (number|null);

                /** ReedStats likes */
                likes?: (number|null);

                /** ReedStats coveragePercent */
                coveragePercent?: (number|null);

                /** ReedStats holderServers */
                holderServers?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReedStats. */
            type $Shape = reedbed.v1.ReedStats.$Properties;
        }

        /**
         * Properties of an Eviction.
         * @deprecated Use reedbed.v1.Eviction.$Properties instead.
         */
        interface IEviction extends reedbed.v1.Eviction.$Properties {
        }

        /** Represents an Eviction. */
        class Eviction {

            /**
             * Constructs a new Eviction.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Eviction.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Eviction reedId. */
            reedId: string;

            /**
             * Creates a new Eviction instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Eviction instance
             */
            static create(properties: reedbed.v1.Eviction.$Shape): reedbed.v1.Eviction & reedbed.v1.Eviction.$Shape;
            static create(properties?: reedbed.v1.Eviction.$Properties): reedbed.v1.Eviction;

            /**
             * Encodes the specified Eviction message. Does not implicitly {@link reedbed.v1.Eviction.verify|verify} messages.
             * @param message Eviction message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Eviction.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Eviction message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Eviction & reedbed.v1.Eviction.$Shape} Eviction
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Eviction & reedbed.v1.Eviction.$Shape;
        }

        namespace Eviction {

            /** Properties of an Eviction. */
            interface $Properties {

                /** Eviction reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Eviction. */
            type $Shape = reedbed.v1.Eviction.$Properties;
        }

        /**
         * Properties of an EvictionAck.
         * @deprecated Use reedbed.v1.EvictionAck.$Properties instead.
         */
        interface IEvictionAck extends reedbed.v1.EvictionAck.$Properties {
        }

        /** Represents an EvictionAck. */
        class EvictionAck {

            /**
             * Constructs a new EvictionAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.EvictionAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EvictionAck reedId. */
            reedId: string;

            /**
             * Creates a new EvictionAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EvictionAck instance
             */
            static create(properties: reedbed.v1.EvictionAck.$Shape): reedbed.v1.EvictionAck & reedbed.v1.EvictionAck.$Shape;
            static create(properties?: reedbed.v1.EvictionAck.$Properties): reedbed.v1.EvictionAck;

            /**
             * Encodes the specified EvictionAck message. Does not implicitly {@link reedbed.v1.EvictionAck.verify|verify} messages.
             * @param message EvictionAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.EvictionAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EvictionAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.EvictionAck & reedbed.v1.EvictionAck.$Shape} EvictionAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.EvictionAck & reedbed.v1.EvictionAck.$Shape;
        }

        namespace EvictionAck {

            /** Properties of an EvictionAck. */
            interface $Properties {

                /** EvictionAck reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EvictionAck. */
            type $Shape = reedbed.v1.EvictionAck.$Properties;
        }

        /**
         * Properties of a KeyEviction.
         * @deprecated Use reedbed.v1.KeyEviction.$Properties instead.
         */
        interface IKeyEviction extends reedbed.v1.KeyEviction.$Properties {
        }

        /** Represents a KeyEviction. */
        class KeyEviction {

            /**
             * Constructs a new KeyEviction.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.KeyEviction.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KeyEviction keyId. */
            keyId: string;

            /**
             * Creates a new KeyEviction instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KeyEviction instance
             */
            static create(properties: reedbed.v1.KeyEviction.$Shape): reedbed.v1.KeyEviction & reedbed.v1.KeyEviction.$Shape;
            static create(properties?: reedbed.v1.KeyEviction.$Properties): reedbed.v1.KeyEviction;

            /**
             * Encodes the specified KeyEviction message. Does not implicitly {@link reedbed.v1.KeyEviction.verify|verify} messages.
             * @param message KeyEviction message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.KeyEviction.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KeyEviction message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.KeyEviction & reedbed.v1.KeyEviction.$Shape} KeyEviction
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.KeyEviction & reedbed.v1.KeyEviction.$Shape;
        }

        namespace KeyEviction {

            /** Properties of a KeyEviction. */
            interface $Properties {

                /** KeyEviction keyId */
                keyId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KeyEviction. */
            type $Shape = reedbed.v1.KeyEviction.$Properties;
        }

        /**
         * Properties of a KeyEvictionAck.
         * @deprecated Use reedbed.v1.KeyEvictionAck.$Properties instead.
         */
        interface IKeyEvictionAck extends reedbed.v1.KeyEvictionAck.$Properties {
        }

        /** Represents a KeyEvictionAck. */
        class KeyEvictionAck {

            /**
             * Constructs a new KeyEvictionAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.KeyEvictionAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KeyEvictionAck keyId. */
            keyId: string;

            /**
             * Creates a new KeyEvictionAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KeyEvictionAck instance
             */
            static create(properties: reedbed.v1.KeyEvictionAck.$Shape): reedbed.v1.KeyEvictionAck & reedbed.v1.KeyEvictionAck.$Shape;
            static create(properties?: reedbed.v1.KeyEvictionAck.$Properties): reedbed.v1.KeyEvictionAck;

            /**
             * Encodes the specified KeyEvictionAck message. Does not implicitly {@link reedbed.v1.KeyEvictionAck.verify|verify} messages.
             * @param message KeyEvictionAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.KeyEvictionAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KeyEvictionAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.KeyEvictionAck & reedbed.v1.KeyEvictionAck.$Shape} KeyEvictionAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.KeyEvictionAck & reedbed.v1.KeyEvictionAck.$Shape;
        }

        namespace KeyEvictionAck {

            /** Properties of a KeyEvictionAck. */
            interface $Properties {

                /** KeyEvictionAck keyId */
                keyId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KeyEvictionAck. */
            type $Shape = reedbed.v1.KeyEvictionAck.$Properties;
        }

        /**
         * Properties of a UserBlocked.
         * @deprecated Use reedbed.v1.UserBlocked.$Properties instead.
         */
        interface IUserBlocked extends reedbed.v1.UserBlocked.$Properties {
        }

        /** Represents a UserBlocked. */
        class UserBlocked {

            /**
             * Constructs a new UserBlocked.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UserBlocked.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UserBlocked requestId. */
            requestId: string;

            /** UserBlocked certificate. */
            certificate: Uint8Array;

            /**
             * Creates a new UserBlocked instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UserBlocked instance
             */
            static create(properties: reedbed.v1.UserBlocked.$Shape): reedbed.v1.UserBlocked & reedbed.v1.UserBlocked.$Shape;
            static create(properties?: reedbed.v1.UserBlocked.$Properties): reedbed.v1.UserBlocked;

            /**
             * Encodes the specified UserBlocked message. Does not implicitly {@link reedbed.v1.UserBlocked.verify|verify} messages.
             * @param message UserBlocked message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UserBlocked.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a UserBlocked message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UserBlocked & reedbed.v1.UserBlocked.$Shape} UserBlocked
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UserBlocked & reedbed.v1.UserBlocked.$Shape;
        }

        namespace UserBlocked {

            /** Properties of a UserBlocked. */
            interface $Properties {

                /** UserBlocked requestId */
                requestId?: (string|null);

                /** UserBlocked certificate */
                certificate?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a UserBlocked. */
            type $Shape = reedbed.v1.UserBlocked.$Properties;
        }

        /**
         * Properties of a UserUnblocked.
         * @deprecated Use reedbed.v1.UserUnblocked.$Properties instead.
         */
        interface IUserUnblocked extends reedbed.v1.UserUnblocked.$Properties {
        }

        /** Represents a UserUnblocked. */
        class UserUnblocked {

            /**
             * Constructs a new UserUnblocked.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UserUnblocked.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UserUnblocked requestId. */
            requestId: string;

            /** UserUnblocked certificate. */
            certificate: Uint8Array;

            /**
             * Creates a new UserUnblocked instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UserUnblocked instance
             */
            static create(properties: reedbed.v1.UserUnblocked.$Shape): reedbed.v1.UserUnblocked & reedbed.v1.UserUnblocked.$Shape;
            static create(properties?: reedbed.v1.UserUnblocked.$Properties): reedbed.v1.UserUnblocked;

            /**
             * Encodes the specified UserUnblocked message. Does not implicitly {@link reedbed.v1.UserUnblocked.verify|verify} messages.
             * @param message UserUnblocked message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UserUnblocked.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a UserUnblocked message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UserUnblocked & reedbed.v1.UserUnblocked.$Shape} UserUnblocked
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UserUnblocked & reedbed.v1.UserUnblocked.$Shape;
        }

        namespace UserUnblocked {

            /** Properties of a UserUnblocked. */
            interface $Properties {

                /** UserUnblocked requestId */
                requestId?: (string|null);

                /** UserUnblocked certificate */
                certificate?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a UserUnblocked. */
            type $Shape = reedbed.v1.UserUnblocked.$Properties;
        }

        /**
         * Properties of a UserBlockedAck.
         * @deprecated Use reedbed.v1.UserBlockedAck.$Properties instead.
         */
        interface IUserBlockedAck extends reedbed.v1.UserBlockedAck.$Properties {
        }

        /** Represents a UserBlockedAck. */
        class UserBlockedAck {

            /**
             * Constructs a new UserBlockedAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UserBlockedAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UserBlockedAck userId. */
            userId: string;

            /** UserBlockedAck countersignatureHash. */
            countersignatureHash: string;

            /**
             * Creates a new UserBlockedAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UserBlockedAck instance
             */
            static create(properties: reedbed.v1.UserBlockedAck.$Shape): reedbed.v1.UserBlockedAck & reedbed.v1.UserBlockedAck.$Shape;
            static create(properties?: reedbed.v1.UserBlockedAck.$Properties): reedbed.v1.UserBlockedAck;

            /**
             * Encodes the specified UserBlockedAck message. Does not implicitly {@link reedbed.v1.UserBlockedAck.verify|verify} messages.
             * @param message UserBlockedAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UserBlockedAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a UserBlockedAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UserBlockedAck & reedbed.v1.UserBlockedAck.$Shape} UserBlockedAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UserBlockedAck & reedbed.v1.UserBlockedAck.$Shape;
        }

        namespace UserBlockedAck {

            /** Properties of a UserBlockedAck. */
            interface $Properties {

                /** UserBlockedAck userId */
                userId?: (string|null);

                /** UserBlockedAck countersignatureHash */
                countersignatureHash?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a UserBlockedAck. */
            type $Shape = reedbed.v1.UserBlockedAck.$Properties;
        }

        /**
         * Properties of a UserUnblockedAck.
         * @deprecated Use reedbed.v1.UserUnblockedAck.$Properties instead.
         */
        interface IUserUnblockedAck extends reedbed.v1.UserUnblockedAck.$Properties {
        }

        /** Represents a UserUnblockedAck. */
        class UserUnblockedAck {

            /**
             * Constructs a new UserUnblockedAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.UserUnblockedAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UserUnblockedAck userId. */
            userId: string;

            /** UserUnblockedAck countersignatureHash. */
            countersignatureHash: string;

            /**
             * Creates a new UserUnblockedAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UserUnblockedAck instance
             */
            static create(properties: reedbed.v1.UserUnblockedAck.$Shape): reedbed.v1.UserUnblockedAck & reedbed.v1.UserUnblockedAck.$Shape;
            static create(properties?: reedbed.v1.UserUnblockedAck.$Properties): reedbed.v1.UserUnblockedAck;

            /**
             * Encodes the specified UserUnblockedAck message. Does not implicitly {@link reedbed.v1.UserUnblockedAck.verify|verify} messages.
             * @param message UserUnblockedAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.UserUnblockedAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a UserUnblockedAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.UserUnblockedAck & reedbed.v1.UserUnblockedAck.$Shape} UserUnblockedAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.UserUnblockedAck & reedbed.v1.UserUnblockedAck.$Shape;
        }

        namespace UserUnblockedAck {

            /** Properties of a UserUnblockedAck. */
            interface $Properties {

                /** UserUnblockedAck userId */
                userId?: (string|null);

                /** UserUnblockedAck countersignatureHash */
                countersignatureHash?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a UserUnblockedAck. */
            type $Shape = reedbed.v1.UserUnblockedAck.$Properties;
        }

        /**
         * Properties of a ContentRejected.
         * @deprecated Use reedbed.v1.ContentRejected.$Properties instead.
         */
        interface IContentRejected extends reedbed.v1.ContentRejected.$Properties {
        }

        /** Represents a ContentRejected. */
        class ContentRejected {

            /**
             * Constructs a new ContentRejected.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ContentRejected.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ContentRejected reedId. */
            reedId: string;

            /** ContentRejected reason. */
            reason: string;

            /**
             * Creates a new ContentRejected instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ContentRejected instance
             */
            static create(properties: reedbed.v1.ContentRejected.$Shape): reedbed.v1.ContentRejected & reedbed.v1.ContentRejected.$Shape;
            static create(properties?: reedbed.v1.ContentRejected.$Properties): reedbed.v1.ContentRejected;

            /**
             * Encodes the specified ContentRejected message. Does not implicitly {@link reedbed.v1.ContentRejected.verify|verify} messages.
             * @param message ContentRejected message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ContentRejected.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ContentRejected message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ContentRejected & reedbed.v1.ContentRejected.$Shape} ContentRejected
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ContentRejected & reedbed.v1.ContentRejected.$Shape;
        }

        namespace ContentRejected {

            /** Properties of a ContentRejected. */
            interface $Properties {

                /** ContentRejected reedId */
                reedId?: (string|null);

                /** ContentRejected reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ContentRejected. */
            type $Shape = reedbed.v1.ContentRejected.$Properties;
        }

        /**
         * Properties of a PeerServerLost.
         * @deprecated Use reedbed.v1.PeerServerLost.$Properties instead.
         */
        interface IPeerServerLost extends reedbed.v1.PeerServerLost.$Properties {
        }

        /** Represents a PeerServerLost. */
        class PeerServerLost {

            /**
             * Constructs a new PeerServerLost.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PeerServerLost.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PeerServerLost serverId. */
            serverId: string;

            /**
             * Creates a new PeerServerLost instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PeerServerLost instance
             */
            static create(properties: reedbed.v1.PeerServerLost.$Shape): reedbed.v1.PeerServerLost & reedbed.v1.PeerServerLost.$Shape;
            static create(properties?: reedbed.v1.PeerServerLost.$Properties): reedbed.v1.PeerServerLost;

            /**
             * Encodes the specified PeerServerLost message. Does not implicitly {@link reedbed.v1.PeerServerLost.verify|verify} messages.
             * @param message PeerServerLost message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PeerServerLost.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PeerServerLost message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PeerServerLost & reedbed.v1.PeerServerLost.$Shape} PeerServerLost
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PeerServerLost & reedbed.v1.PeerServerLost.$Shape;
        }

        namespace PeerServerLost {

            /** Properties of a PeerServerLost. */
            interface $Properties {

                /** PeerServerLost serverId */
                serverId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PeerServerLost. */
            type $Shape = reedbed.v1.PeerServerLost.$Properties;
        }

        /** ErrorCode enum. */
        enum ErrorCode {

            /** UNSPECIFIED value */
            UNSPECIFIED = 0,

            /** BAD_REQUEST value */
            BAD_REQUEST = 1,

            /** UNAUTHENTICATED value */
            UNAUTHENTICATED = 2,

            /** FORBIDDEN value */
            FORBIDDEN = 3,

            /** BLOCKED value */
            BLOCKED = 4,

            /** NOT_FOUND value */
            NOT_FOUND = 5,

            /** METHOD_NOT_ALLOWED value */
            METHOD_NOT_ALLOWED = 6,

            /** CONFLICT value */
            CONFLICT = 7,

            /** TIP_MISMATCH value */
            TIP_MISMATCH = 8,

            /** USERNAME_TAKEN value */
            USERNAME_TAKEN = 9,

            /** REMOVED value */
            REMOVED = 10,

            /** TOO_LARGE value */
            TOO_LARGE = 11,

            /** UNSUPPORTED_MEDIA_TYPE value */
            UNSUPPORTED_MEDIA_TYPE = 12,

            /** INVALID value */
            INVALID = 13,

            /** RATE_LIMITED value */
            RATE_LIMITED = 14,

            /** TOO_MANY_OPEN value */
            TOO_MANY_OPEN = 15,

            /** INTERNAL value */
            INTERNAL = 16,

            /** UNIMPLEMENTED value */
            UNIMPLEMENTED = 17,

            /** UNAVAILABLE value */
            UNAVAILABLE = 18,

            /** SIGNUP_CLOSED value */
            SIGNUP_CLOSED = 19,

            /** INVITE_INVALID value */
            INVITE_INVALID = 20,

            /** KEY_REVOKED value */
            KEY_REVOKED = 21,

            /** EXPIRED value */
            EXPIRED = 22,

            /** NOT_ACKNOWLEDGED value */
            NOT_ACKNOWLEDGED = 23,

            /** CLOCK_DIFFERS value */
            CLOCK_DIFFERS = 24
        }

        /** CloseCode enum. */
        enum CloseCode {

            /** CLOSE_UNSPECIFIED value */
            CLOSE_UNSPECIFIED = 0,

            /** CLOSE_GOING_AWAY value */
            CLOSE_GOING_AWAY = 4000,

            /** CLOSE_UNAUTHENTICATED value */
            CLOSE_UNAUTHENTICATED = 4001,

            /** CLOSE_AUTHENTICATION_TIMEOUT value */
            CLOSE_AUTHENTICATION_TIMEOUT = 4002,

            /** CLOSE_MALFORMED_FRAME value */
            CLOSE_MALFORMED_FRAME = 4003,

            /** CLOSE_TEXT_FRAME value */
            CLOSE_TEXT_FRAME = 4004,

            /** CLOSE_FRAME_TOO_LARGE value */
            CLOSE_FRAME_TOO_LARGE = 4005,

            /** CLOSE_RATE_LIMITED value */
            CLOSE_RATE_LIMITED = 4006,

            /** CLOSE_SLOW_READER value */
            CLOSE_SLOW_READER = 4007,

            /** CLOSE_SILENT value */
            CLOSE_SILENT = 4008,

            /** CLOSE_REPLACED value */
            CLOSE_REPLACED = 4009,

            /** CLOSE_SESSION_ENDED value */
            CLOSE_SESSION_ENDED = 4010,

            /** CLOSE_PRESENCE_LOST value */
            CLOSE_PRESENCE_LOST = 4011,

            /** CLOSE_TOO_MANY_CONNECTIONS value */
            CLOSE_TOO_MANY_CONNECTIONS = 4012,

            /** CLOSE_UNSUPPORTED_PROTOCOL value */
            CLOSE_UNSUPPORTED_PROTOCOL = 4013,

            /** CLOSE_INTERNAL value */
            CLOSE_INTERNAL = 4014,

            /** CLOSE_UNEXPECTED_FRAME value */
            CLOSE_UNEXPECTED_FRAME = 4015
        }
    }
}
